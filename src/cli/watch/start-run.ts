import process from 'node:process';
import { Child } from '../../host/index.ts';
import { type CliEnvironment, watchedVariable } from '../process/environment.ts';

/** A run in a process of its own. */
export interface RunProcess {
  /** Resolves when it has ended. Rejects when it did not start. */
  readonly ended: Promise<unknown>;
  /** Ends it in order, as Ctrl-C would. */
  stop(): void;
}

/**
 * Starts this command again, with the same inputs and outputs, so that it finds the terminal of its parent. A pipe that closes, with the parent too, asks it to end:
 * a second signal would end it at once, and a terminal sends Ctrl-C to both. Through the same pipe the run names the files that it has loaded.
 */
export function startRun(
  argv: readonly string[],
  { variables, withOutput = (start) => start() }: Pick<CliEnvironment, 'variables' | 'withOutput'>,
  onLoaded: (files: readonly string[]) => void,
): RunProcess {
  const [, command = ''] = process.argv;
  const child = withOutput(
    () =>
      new Child(
        { command: process.execPath, args: [...process.execArgv, command, ...argv] },
        { env: { ...variables, [watchedVariable]: '1' }, stdio: [0, 1, 2, 'pipe'] },
      ),
  );
  const pipe = child.pipe(stopDescriptor);
  let text = '';
  pipe.setEncoding('utf8').on('data', (part: string) => {
    const lines = `${text}${part}`.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) onLoaded(filesIn(line));
  });
  return {
    ended: child.exited.then(({ failure }) => {
      if (failure !== undefined) throw failure;
    }),
    stop: () => void pipe.end(),
  };
}

/** The files that a line names. Code of the run may write to the pipe, too. */
export function filesIn(line: string): readonly string[] {
  try {
    const files: unknown = JSON.parse(line);
    return Array.isArray(files) ? files.filter((file) => typeof file === 'string') : [];
  } catch {
    return [];
  }
}

/** The descriptor of the pipe, in the run. */
const stopDescriptor = 3;
