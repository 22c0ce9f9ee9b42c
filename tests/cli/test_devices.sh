# Profiles, found and missing; nothing here needs a device.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

accepts device list tesla-k20c
prints '^tesla-k20c: '
prints '^  warp +32 lanes'
accepts device list host
prints '^host: '
line=$("$heddle" device list tesla-k20c | sed -n 's/^  in one line *//p')
accepts device list "$line"
prints '^  warp +32 lanes'
prints '^  epsilon +32, a sector of its L2, '
! grep -q '^  tiles' "$work/log/out" || complain "tiles that its profile has not"
accepts device list tesla-k20m
prints '^  epsilon +128, what its profile says'
prints '^  tiles +SoA to 20, 8192 to 48, 16384 to 96, 32768$'
refuses "error: .*tesla-k20d.*tesla-k20c" device list tesla-k20d
refuses "error: .*tesla-k20d.*tesla-k20c" advise body.yaml --device tesla-k20d
refuses "error: .*tesla-k20d.*tesla-k20c" advise --costs body.yaml --device h200 --device tesla-k20d
refuses "missing.yaml.*error: |error: .*missing.yaml" advise body.yaml --device missing.yaml
refuses "missing.yaml.*error: |error: .*missing.yaml" device list missing.yaml
refuses "error: .*warp" device list "warp:33 l1:48k/128 l2:768k/32 w:1,30,100 blocks:8 threads:1536 regs:32768"
sed -e "s,^warp:.*,warp: many," "$source_folder/devices/tesla-k20c.yaml" >odd.yaml
refuses "^odd.yaml:[0-9]+:[0-9]+: error: .*warp" device list odd.yaml
refuses "there is no option -o" device list -o mine.yaml
refuses "--names goes with .heddle device" device probe --names
refuses "error: --out names a profile, which must end in .yaml, not 'mine.txt'" device probe -o mine.txt
refuses "at: error: this is a folder|error: .*folder" device probe -o "$(mkdir -p folder.yaml && echo folder.yaml)"
refuses "error: --meters goes alone, without a NAME" device list --meters h200
accepts device list --meters
prints '^  command +machine +no command was given: --meter-command CMD'
prints '^  model +device +it can be read$'
call device list
[ "$status" -eq 0 ] || complain "heddle device list: exit status $status, not 0"
prints '^  tesla-m2050 '
prints '^  host '
finish
