import { assertMembers } from '../../../core/error/index.ts';
import { present } from '../../../core/internal/index.ts';
import type { ToolPolicy } from '../../../core/policy/index.ts';
import type { Section, SectionPrepareContext } from '../../../core/prompt/index.ts';
import { type VfsToolsSectionOptions, vfsToolsSection } from '../../../suite/vfs/index.ts';
import type { PodmanSandboxOptions } from '../podman/options.ts';
import { podmanSandbox } from '../podman/podman-sandbox.ts';
import type { ShellRollback } from '../shell/run-in-call.ts';
import { resolveShellLimits, type ShellLimits } from '../shell/shell-limits.ts';
import { shellSection } from '../shell/shell-section.ts';
import { prepareImagePython } from './image-python.ts';
import { pythonSection } from './python-section.ts';

/** Options of {@link podmanSection}. */
export interface PodmanSectionOptions {
  /** The image; see `podmanSandbox`. */
  readonly image: string;
  /** The other options of `podmanSandbox`. */
  readonly sandbox?: Omit<PodmanSandboxOptions, 'image'>;
  /**
   * Options of the file tools, such as `filesystem`; see `vfsToolsSection`. Default: an empty workspace in memory for each session, and
   * `readBeforeWritePolicy()` for the file tools.
   */
  readonly files?: Omit<VfsToolsSectionOptions, 'title' | 'key' | 'visibility'>;
  /** Limits of one command or program, besides those of the container; those left out keep their defaults. */
  readonly limits?: Partial<ShellLimits>;
  /** Whether a failed command is rolled back; see `shellSection`. A failed program always is. Default: `failure`. */
  readonly rollbackOn?: ShellRollback;
  /**
   * Whether there is `evaluate_python`. `true`: an evaluation whose image has no `python3` fails when it starts; `false`: never.
   * Default: where the image has one, which is checked when an evaluation starts.
   */
  readonly python?: boolean;
  /** Rules for all tools of the section. Default: none besides those of the file tools. */
  readonly policies?: readonly ToolPolicy[];
  /** Default: `Podman Workspace`. */
  readonly title?: string;
  /** Default: `podman`. */
  readonly key?: string;
}

/**
 * A section with a workspace and everything that works on it: the file tools, `shell_execute`, and `evaluate_python` where the image
 * has a Python. Commands and programs run in containers of Podman, each in one of its own.
 *
 * The workspace is part of every call's transaction: whatever fails leaves it as it was, be it a file tool, a command or a program.
 *
 * @throws {SandboxError} `sandbox-option-invalid` for a bad limit or option of the sandbox.
 * @throws {PromptValidationError} for a bad option of the file tools.
 * @see docs/spec/sandboxes.md §6
 */
export function podmanSection(options: PodmanSectionOptions): Section<Record<never, never>> {
  assertMembers('podmanSection()', options, {
    image: 'string!',
    sandbox: 'object',
    files: 'object',
    limits: 'object',
    python: 'boolean',
    policies: 'array',
  });
  const { title = 'Podman Workspace', key = 'podman', rollbackOn, policies = [] } = options;
  const { image, python } = options;
  const backend = podmanSandbox({ ...options.sandbox, image });
  const limits = resolveShellLimits(options.limits);
  const effects = backend.capabilities.network === 'none' ? 'state' : 'external';
  return {
    title,
    key,
    render: () =>
      'The files of the workspace are the same for all tools below: what one of them changes, the others see.',
    summary: 'A workspace of files, with a shell and programs in containers.',
    policies,
    children: [
      vfsToolsSection({ ...options.files, title: 'Files', key: 'files' }),
      shellSection({ backend, limits, ...present({ rollbackOn }) }),
      ...(python === false ? [] : [pythonSection({ image, isRequired: python === true, limits, effects })]),
    ],
    // Here, because a disabled part is not prepared.
    ...present({
      prepare:
        python === false
          ? undefined
          : (context: SectionPrepareContext) => prepareImagePython(context, image, python === true),
    }),
  };
}
