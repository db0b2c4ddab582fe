import type { Section } from '../../../core/prompt/index.ts';
import type { ToolEffects } from '../../../core/tool/index.ts';
import type { ShellLimits } from '../shell/shell-limits.ts';
import { evaluatePythonTool } from './evaluate-python.ts';
import { hasPython, ImagePython, pythonBinding } from './image-python.ts';

/** What the part is made with. */
export interface PythonSectionOptions {
  readonly image: string;
  /** True: an evaluation without a Python fails, so the tool is always there. */
  readonly isRequired: boolean;
  readonly limits: ShellLimits;
  readonly effects: ToolEffects;
}

/** The part with the tool `evaluate_python`; disabled while no evaluation has found a Python in the image. */
export function pythonSection(options: PythonSectionOptions): Section<Record<never, never>> {
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
