import type { CheckedCommand } from '../backend/command.ts';
import { temporaryBytes } from '../backend/sandbox-limits.ts';
import type { BubblewrapSettings } from './options.ts';
import { readOnlyArguments, searchPath } from './read-only-paths.ts';

/** The command line of one command, and what it reads from the descriptors 3 to 6. It reports to descriptor 7. */
export interface BubblewrapLine {
  readonly command: string;
  readonly args: readonly string[];
  readonly inputs: readonly string[];
}

const sandboxId = '65534';
const passwdFile = `sandbox:x:${sandboxId}:${sandboxId}:sandbox:/tmp:/bin/sh\n`;
const groupFile = `sandbox:x:${sandboxId}:\n`;

/**
 * Runs outside, in the staged folder. The options are not on the command line, which others could read. Descriptors that this process
 * has inherited from its parent would be open in the sandbox, too; only bash can close those above 9.
 */
const outsideScript = `program=$1; inside=$2; shift 2
exec 8>&- 9>&-
start='exec "$program" --args 3 --bind "$(pwd -P)" /workspace --remount-ro / -- sh -c "$@"'
for descriptor in /proc/$$/fd/*; do
  [ "\${descriptor##*/}" -gt 9 ] || continue
  close='for fd in /proc/$$/fd/*; do fd=\${fd##*/}; [ "$fd" -gt 7 ] && eval "exec $fd>&-"; done; program=$1; shift; '
  exec bash --norc --noprofile -c "$close$start" bash "$program" "$inside" "$@"
done
set -- "$inside" "$@"
eval "$start"`;

/**
 * Runs inside, as the parent of the command: it reports that the sandbox works, kills what is left when the command has ended, and
 * waits until it is gone. Killing all but itself and the init process is one system call, so no process can fork away.
 */
const sandboxedScript = `exec 3<&- 4<&- 5<&-
cd -- "$1" 2>/dev/null || { echo missing >&7; exit 1; }
shift
echo started >&7
"$@" 7>&-
status=$?
exec 6<&-
others() {
  others=0
  for process in /proc/[0-9]*; do
    case $process in /proc/1|/proc/$$) continue;; esac
    [ -d "$process" ] || continue
    others=$((others + 1))
    line=
    { read -r line <"$process/stat"; } 2>/dev/null
    # The state is after the name, which is in parentheses and may contain anything.
    case \${line##*)} in ''|' Z'*|' X'*) continue;; esac
    running=$((running + 1))
  done
}
running=0
others
left=$running
while [ "$others" -gt 0 ]; do
  kill -9 -1 2>/dev/null
  others
  [ "$others" -gt 0 ] && sleep 0.01
done
[ "$left" -gt 0 ] && echo "killed $left" >&7
exit "$status"`;

/**
 * Starts the command itself, once its limits are set: no variable of its environment can influence the programs that set them.
 */
const startCommand = 'eval "$(cat <&6)" && exec 6<&- && exec "$@"';

/**
 * The command line that runs a command in the folder that it is started in.
 * @param skills the folder that is shown at `/skills`. Default: none.
 */
export function bubblewrapLine(
  settings: BubblewrapSettings,
  command: CheckedCommand,
  skills?: string,
): BubblewrapLine {
  const { argv, cwd } = command;
  return {
    command: 'sh',
    args: [
      ...['-c', outsideScript, 'sh', settings.program],
      ...[
        sandboxedScript,
        'sh',
        cwd,
        ...limitArguments(settings),
        '/bin/sh',
        '-c',
        startCommand,
        'sh',
        ...argv,
      ],
    ],
    inputs: [
      [...optionsOf(settings), ...(skills === undefined ? [] : ['--ro-bind', skills, '/skills'])]
        .map((argument) => `${argument}\0`)
        .join(''),
      passwdFile,
      groupFile,
      Object.entries({ ...settings.env, ...command.env })
        .map(exportOf)
        .join(''),
    ],
  };
}

/** A statement of the shell that sets an environment variable. */
function exportOf([name, value]: readonly [string, string]): string {
  return `export ${name}='${value.replaceAll("'", "'\\''")}'\n`;
}

function optionsOf({ readOnlyPaths, network }: BubblewrapSettings): readonly string[] {
  const env = { PATH: searchPath(readOnlyPaths), HOME: '/tmp', TMPDIR: '/tmp', LANG: 'C.UTF-8' };
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    // In a user namespace of its own a command would have all capabilities, and much more of the kernel within its reach.
    ...['--disable-userns', '--assert-userns-disabled'],
    ...(network === 'none' ? ['--unshare-net'] : []),
    ...['--uid', sandboxId, '--gid', sandboxId, '--hostname', 'sandbox'],
    // Without a terminal of ours nothing can be typed into it; without capabilities nothing can be mounted.
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...readOnlyArguments(readOnlyPaths, network === 'full'),
    ...['--ro-bind-data', '4', '/etc/passwd', '--ro-bind-data', '5', '/etc/group'],
    // Root may write to settings of the kernel there, even without capabilities.
    ...['--proc', '/proc', '--remount-ro', '/proc'],
    ...['--dev', '/dev', '--size', `${temporaryBytes}`, '--tmpfs', '/dev/shm'],
    ...['--remount-ro', '/dev', '--size', `${temporaryBytes}`, '--tmpfs', '/tmp'],
    ...['--chdir', '/workspace', '--clearenv'],
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
}

/** The program that sets the limits of the command, and only of it. */
function limitArguments({ limits }: BubblewrapSettings): readonly string[] {
  const { maxMemoryBytes, maxProcesses, maxCpuMs, maxFileBytes } = limits;
  const flags = [
    // Address space would be reserved, but not used, by many programs, Node among them.
    ...(maxMemoryBytes === undefined ? [] : [`--data=${maxMemoryBytes}`]),
    ...(maxProcesses === undefined ? [] : [`--nproc=${maxProcesses}`]),
    ...(maxCpuMs === undefined ? [] : [`--cpu=${Math.ceil(maxCpuMs / 1000)}`]),
    ...(maxFileBytes === undefined ? [] : [`--fsize=${maxFileBytes}`]),
    '--core=0',
  ];
  return ['/usr/bin/prlimit', ...flags, '--'];
}
