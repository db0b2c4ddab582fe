import { present } from '../../../core/internal/index.ts';
import type { CheckedCommand } from '../backend/command.ts';
import { temporaryBytes } from '../backend/sandbox-limits.ts';
import type { ContainerUser } from './container-user.ts';
import type { PodmanSettings } from './options.ts';

/**
 * Runs as the first process of a container and starts the command. When that has ended, it counts the processes that are left, kills
 * them, and writes a trailer with the count and the exit code as the last bytes of the error output: nothing else can write any more. Only what is built into the
 * shell is used, so that it works when no process can be started.
 */
const firstProcess = `nonce=$1
cd -- "$2" 2>/dev/null || { printf '\\000%s:missing\\n' "$nonce" >&2; exit 1; }
shift 2
"$@"
status=$?
others() {
  others=0
  for process in /proc/[0-9]*; do
    [ "$process" = /proc/1 ] && continue
    { read -r line <"$process/stat"; } 2>/dev/null || continue
    # One that has ended, and waits for its parent, writes nothing any more.
    case $line in *') Z '*|*') X '*) continue;; esac
    others=$((others + 1))
  done
}
others
left=$others
while [ "$others" -gt 0 ]; do
  kill -9 -1 2>/dev/null
  others
done
printf '\\000%s:%s:%s\\n' "$nonce" "$left" "$status" >&2
exit "$status"`;

/** What one container is made of, beside the settings. */
export interface ContainerParts {
  readonly command: CheckedCommand;
  /** The folder that is shown at `/workspace`. */
  readonly folder: string;
  /** The folder that is shown at `/skills`, read-only. Default: none. */
  readonly skills?: string | undefined;
  readonly user: ContainerUser;
  readonly nonce: string;
  readonly labels: Readonly<Record<string, string>>;
}

const cpuPeriodUs = 100_000;
/**
 * Podman sets limits of its own where there are none, which fail where they are above the hard limits of the service. Processes
 * are limited by the control group.
 */
const ownLimits = { NOFILE: 1024, NPROC: 4096, CORE: 0 };

/** The container of one command, as the interface of Podman wants it. */
export function containerSpec(settings: PodmanSettings, parts: ContainerParts): object {
  const { limits, network, runtime } = settings;
  const { command, folder, skills, user, nonce, labels } = parts;
  const { maxMemoryBytes, maxProcesses, maxCpus, maxFileBytes } = limits;
  const processLimits = {
    ...ownLimits,
    ...present({ FSIZE: maxFileBytes }),
  };
  return {
    image: settings.image,
    entrypoint: ['/bin/sh', '-c', firstProcess, 'sh'],
    command: [nonce, `/workspace/${command.cwd}`, ...command.argv],
    env: { ...settings.env, ...command.env },
    env_host: false,
    httpproxy: false,
    work_dir: '/workspace',
    hostname: 'sandbox',
    labels,
    stdin: command.stdin !== undefined,
    terminal: false,
    systemd: 'false',
    image_volume_mode: 'ignore',
    log_configuration: { driver: 'none' },
    user: user.user,
    ...present({
      userns: user.keepsId ? { nsmode: 'keep-id' } : undefined,
      netns: network === 'none' ? { nsmode: 'none' } : undefined,
      oci_runtime: runtime,
    }),
    cap_drop: ['ALL'],
    no_new_privileges: true,
    privileged: false,
    read_only_filesystem: true,
    r_limits: Object.entries(processLimits).map(([type, value]) => ({ type, hard: value, soft: value })),
    resource_limits: {
      // Swap is part of the limit, so that it cannot be exceeded by swapping.
      ...present({
        memory: maxMemoryBytes === undefined ? undefined : { limit: maxMemoryBytes, swap: maxMemoryBytes },
        pids: maxProcesses === undefined ? undefined : { limit: maxProcesses + 1 },
        cpu:
          maxCpus === undefined
            ? undefined
            : { period: cpuPeriodUs, quota: Math.max(1000, Math.round(maxCpus * cpuPeriodUs)) },
      }),
    },
    mounts: [
      {
        type: 'bind',
        source: folder,
        destination: '/workspace',
        options: ['rw', 'nosuid', 'nodev', 'rprivate'],
      },
      ...(skills === undefined
        ? []
        : [
            {
              type: 'bind',
              source: skills,
              destination: '/skills',
              options: ['ro', 'nosuid', 'nodev', 'rprivate'],
            },
          ]),
      {
        type: 'tmpfs',
        source: 'tmpfs',
        destination: '/tmp',
        options: ['rw', 'nosuid', 'nodev', `size=${temporaryBytes}`, 'mode=1777', 'notmpcopyup'],
      },
    ],
  };
}
