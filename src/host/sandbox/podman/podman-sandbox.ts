import { present } from '../../../core/internal/index.ts';
import { openStagedFolder } from '../../staged-folder/open-staged-folder.ts';
import type { StagedFolder } from '../../staged-folder/staged-folder.ts';
import type { SandboxBackend } from '../backend/sandbox-backend.ts';
import { stageSkills } from '../backend/stage-skills.ts';
import { StagedSandbox } from '../backend/staged-sandbox.ts';
import { giveTo } from './container-user.ts';
import { type PodmanSandboxOptions, podmanBackend, podmanLimitScopes, podmanSettings } from './options.ts';
import { preparePodman } from './prepared-podman.ts';
import { runContainer } from './run-container.ts';
import { SharedPodman } from './shared-podman.ts';

/**
 * Commands in containers of Podman, each in one of its own, which is removed when the command has ended. Linux only.
 *
 * They see the staged files at `/workspace`, the image read-only, a folder of their own at `/tmp`, and nothing else: no network
 * unless asked for, no environment but that of the image and the named variables. They run as an unprivileged user without
 * capabilities, under the system-call filter of Podman and in control groups with the limits. The kernel is that of the machine.
 *
 * What a command leaves outside of `/workspace` is gone with it. The containers of processes that were killed are removed by the next
 * `prepare`. A service that must be started first runs for as long as it is used: prepare the backend, as sections do.
 *
 * @throws {SandboxError} `sandbox-option-invalid` for an option that cannot be honored, such as a limit that it does not enforce.
 * @see docs/spec/sandboxes.md §5
 */
export function podmanSandbox(options: PodmanSandboxOptions): SandboxBackend {
  const settings = podmanSettings(options);
  const shared = new SharedPodman((signal) => preparePodman(settings, signal));
  return Object.freeze({
    name: podmanBackend,
    capabilities: Object.freeze({
      isolation: 'container' as const,
      network: settings.network,
      limits: podmanLimitScopes,
      description: describe(settings.network),
    }),
    prepare: ({ signal } = {}) => shared.use(signal),
    start: async ({ filesystem, signal, skills }) => {
      const use = await shared.use(signal);
      let shown: StagedFolder | undefined;
      try {
        shown = await stageSkills(skills, settings.staging.tempRoot, signal);
        const staged = await openStagedFolder(filesystem, {
          ...settings.staging,
          layer: 'copy',
          ...present({ signal }),
        });
        try {
          const { host } = use;
          if (host.user.newOwner !== undefined) await giveTo(host.user.newOwner, staged.path);
          if (host.user.newOwner !== undefined && shown !== undefined)
            await giveTo(host.user.newOwner, shown.path);
          return new StagedSandbox({
            backend: podmanBackend,
            staged,
            signal,
            run: (command, ended) => runContainer(host, staged.path, command, ended, shown?.path),
            release: async () => {
              await shown?.[Symbol.asyncDispose]();
              await use[Symbol.asyncDispose]();
            },
          });
        } catch (error) {
          await staged[Symbol.asyncDispose]();
          throw error;
        }
      } catch (error) {
        await shown?.[Symbol.asyncDispose]();
        await use[Symbol.asyncDispose]();
        throw error;
      }
    },
  } satisfies SandboxBackend);
}

function describe(network: 'none' | 'full'): string {
  const reach = network === 'none' ? 'there is no network' : 'the network can be reached';
  return `Commands run with sh in a container of their own with the programs of its image, which is read-only; ${reach}.`;
}
