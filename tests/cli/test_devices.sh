# Profiles, found and missing; nothing here needs a device.
source "$(dirname "$0")/lib.sh"

accepts devices tesla-k20c
prints '^tesla-k20c: '
prints '^  warp +32 lanes'
accepts devices host
prints '^host: '
line=$("$heddle" devices tesla-k20c | sed -n 's/^  in one line *//p')
accepts devices "$line"
prints '^  warp +32 lanes'
refuses "error: .*tesla-k20d.*tesla-k20c" devices tesla-k20d
refuses "error: .*tesla-k20d.*tesla-k20c" advise body.yaml --device tesla-k20d
refuses "error: .*tesla-k20d.*tesla-k20c" cost body.yaml --device h200 --device tesla-k20d
refuses "missing.yaml.*error: |error: .*missing.yaml" advise body.yaml --device missing.yaml
refuses "missing.yaml.*error: |error: .*missing.yaml" devices missing.yaml
refuses "error: .*warp" devices "warp:33 l1:48k/128 l2:768k/32 w:1,30,100 blocks:8 threads:1536 regs:32768"
sed -e "s,^warp:.*,warp: many," "$source_folder/devices/tesla-k20c.yaml" >odd.yaml
refuses "^odd.yaml:[0-9]+:[0-9]+: error: .*warp" devices odd.yaml
refuses "error: --out goes with --probe" devices -o mine.yaml
refuses "error: --on goes with --probe" devices --on 0:0
refuses "error: --probe takes no NAME; --on names the device" devices --probe tesla-k20c
refuses "error: --names and --ids each go alone" devices --probe --names
refuses "error: --out names a profile, which must end in .yaml, not 'mine.txt'" devices --probe -o mine.txt
refuses "at: error: this is a folder|error: .*folder" devices --probe -o "$(mkdir -p folder.yaml && echo folder.yaml)"
refuses "error: --meters goes alone, without a NAME" devices --meters h200
accepts devices --meters
prints '^  command +machine +no command was given: --meter-command CMD'
prints '^  model +device +it can be read$'
call devices
[ "$status" -eq 0 ] || complain "heddle devices: exit status $status, not 0"
prints '^  tesla-m2050 '
prints '^  host '
finish
