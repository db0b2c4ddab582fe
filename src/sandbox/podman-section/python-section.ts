import { SandboxError } from '../../error/index.ts';
import { MemoryFilesystem } from '../../filesystem/index.ts';
import type { Section } from '../../prompt/index.ts';
import { binding, type NamedResourceToken, resourceToken } from '../../resource/index.ts';
import type { ToolEffects } from '../../tool/index.ts';
import { PreparedBackend } from '../backend/prepared-backend.ts';
import { SandboxBackend } from '../backend/sandbox-backend.ts';
import type { ShellLimits } from '../shell/shell-limits.ts';
import { evaluatePythonTool } from './evaluate-python.ts';

/** The version of Python that the bound backend has. */
const PythonVersion: NamedResourceToken<string> = resourceToken<string>('sandbox-python-version');

/** Only a machine that hangs needs so much. */
const CHECK_MS = 60_000;

/** The part with the tool `evaluate_python`, which finds out when an evaluation starts whether there is a Python. */
export function pythonSection(limits: ShellLimits, effects: ToolEffects): Section<Record<never, never>> {
  const lines = [
    '`evaluate_python` runs a Python program at `/workspace`, as `python3 -c` does. It can import the modules of the workspace and of the image. Print what you want to know.',
    'A program that fails changes nothing: its exit code is not 0 after an exception. What it writes outside of `/workspace` is gone when it ends.',
  ];
  return {
    title: 'Python',
    key: 'python',
    render: () => lines.map((line) => `- ${line}`).join('\n'),
    summary: 'Python programs on the files of the workspace.',
    tools: [evaluatePythonTool({ limits, effects })],
    resources: [
      binding(PythonVersion, {
        eager: true,
        create: async (context) => {
          await context.get(PreparedBackend);
          return pythonVersion(await context.get(SandboxBackend), context.signal);
        },
      }),
    ],
  };
}

async function pythonVersion(backend: SandboxBackend, signal: AbortSignal | undefined): Promise<string> {
  await using sandbox = await backend.start({ filesystem: new MemoryFilesystem(), signal });
  const { exitCode, stdout } = await sandbox.exec({
    command: ['python3', '-c', 'import sys; print(sys.version.split()[0])'],
    timeoutMs: CHECK_MS,
  });
  if (exitCode === 0) return stdout.text.trim();
  throw new SandboxError(
    'sandbox-unavailable',
    `The backend "${backend.name}" has no python3 that runs. Use an image with Python, or set the option python of podmanSection to false.`,
    { details: { backend: backend.name, option: 'python' } },
  );
}
