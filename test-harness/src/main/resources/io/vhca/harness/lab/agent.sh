#!/bin/bash
# Runs one command for the host: stdin and stdout are a connection from it. The first line is MARK SCRIPT, the script in
# base64. What follows is the command's input; its output goes back as it comes. Lines that begin with \001MARK are
# between host and agent: "pid N" first, "exit N" last, and what job.sh asks for.
read -r mark encoded
exec 3<&0 4>&1
. /run/lab/environment
export LAB_MARK=$mark
# shellcheck disable=SC2016 # expanded by the inner shell
setsid bash -c 'printf "\001%s pid %s\n" "$LAB_MARK" $$; . /run/lab/job.sh; eval "$1"' vhca \
    "$(base64 -d <<< "$encoded")" <&3 2>&1 &
wait $!
printf '\001%s exit %s\n' "$mark" $?
