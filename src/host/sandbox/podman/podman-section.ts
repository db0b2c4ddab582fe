import { assertOptions, type OptionsOf } from '../../../core/error/index.ts';
import { present } from '../../../core/internal/index.ts';
import type { ToolPolicy } from '../../../core/policy/index.ts';
import type { Section, SectionPrepareContext } from '../../../core/prompt/index.ts';
import type { ToolEffects } from '../../../core/tool/index.ts';
import { type VfsToolsSectionOptions, vfsToolsSection } from '../../../suite/vfs/index.ts';
import { refuseOption } from '../backend/errors.ts';
import {
  rollbackCheck,
  type ShellLimits,
  type ShellRollback,
  shellLimitChecks,
  shellLimitsOf,
} from '../shell/shell-limits.ts';
import { shellSection } from '../shell/shell-section.ts';
import { evaluatePythonTool } from './evaluate-python.ts';
import { hasPython, ImagePython, prepareImagePython, pythonBinding } from './image-python.ts';
import type { PodmanSandboxOptions } from './options.ts';
import { podmanSandbox } from './podman-sandbox.ts';

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

const podmanSectionChecks: OptionsOf<PodmanSectionOptions> = {
  key: 'string',
  title: 'string',
  rollbackOn: rollbackCheck,
  image: 'string!',
  sandbox: 'object',
  files: 'object',
  limits: shellLimitChecks,
  python: 'boolean',
  policies: 'array',
};

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
  assertOptions('podmanSection()', options, podmanSectionChecks, refuseOption());
  const { title = 'Podman Workspace', key = 'podman', rollbackOn, policies = [] } = options;
  const { image, python } = options;
  const backend = podmanSandbox({ ...options.sandbox, image });
  const limits = shellLimitsOf(options.limits);
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

/** What the part is made with. */
interface PythonSectionOptions {
  readonly image: string;
  /** True: an evaluation without a Python fails, so the tool is always there. */
  readonly isRequired: boolean;
  readonly limits: ShellLimits;
  readonly effects: ToolEffects;
}

/** The part with the tool `evaluate_python`; disabled while no evaluation has found a Python in the image. */
function pythonSection(options: PythonSectionOptions): Section<Record<never, never>> {
  const { image, isRequired, limits, effects } = options;
  const lines = [
    '`evaluate_python` runs a Python program at `/workspace`, as `python3 -c` does. It can import the modules of the workspace and of the image. Print what you want to know.',
    'A program that fails changes nothing: its exit code is not 0 after an exception. What it writes outside of `/workspace` is gone when it ends.',
  ];
  return {
    title: 'Python',
    key: 'python',
    enabled: (_params, session) => isRequired || hasPython(session, image),
    render: () => lines.map((line) => `- ${line}`).join('\n'),
    summary: 'Python programs on the files of the workspace.',
    tools: [evaluatePythonTool({ limits, effects })],
    slices: [ImagePython],
    resources: [pythonBinding()],
  };
}
