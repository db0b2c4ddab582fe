import { describe, expect, it } from 'vitest';
import { CliInterruption } from '../../../../src/cli/process/environment.ts';
import { type WatchParts, watchCommand } from '../../../../src/cli/watch/watch-command.ts';
import { ManualTimers } from '../report/progress/terminal-screen.ts';
import { type FakeEnvironment, fakeEnvironment, request } from '../support.ts';

/** A run that ends when it is told to, or asked to. */
interface FakeRun {
  readonly argv: readonly string[];
  readonly end: () => void;
  /** It says what it has loaded. */
  readonly load: (...files: readonly string[]) => void;
  isStopped: boolean;
}

interface Watching {
  readonly environment: FakeEnvironment;
  readonly timers: ManualTimers;
  readonly runs: readonly FakeRun[];
  /** Files and what they hold. */
  readonly files: Map<string, string>;
  readonly stop: AbortController;
  readonly ended: Promise<number>;
  /** Lets time pass, and what waits for it. */
  readonly pass: (milliseconds: number) => Promise<void>;
}

function watching(...argv: readonly string[]): Watching {
  const timers = new ManualTimers();
  const stop = new AbortController();
  const environment = fakeEnvironment({ signal: stop.signal });
  const files = new Map([
    ['agent.ts', 'one'],
    ['tools.ts', 'one'],
  ]);
  const runs: FakeRun[] = [];
  const parts: WatchParts = {
    after: timers.after,
    stampOf: (path) => files.get(path) ?? '',
    filesOf: (_command, loaded) => ['agent.ts', 'tools.ts', ...loaded],
    start: (words, onLoaded) => {
      let end = (): void => undefined;
      const ended = new Promise<void>((resolve) => (end = resolve));
      const load = (...loaded: readonly string[]): void => onLoaded(loaded);
      const run: FakeRun = { argv: words, end, load, isStopped: false };
      runs.push(run);
      return {
        ended,
        stop: () => {
          run.isStopped = true;
          end();
        },
      };
    },
  };
  const command = { request: request('run', 'agent.ts', '--watch'), argv, texts: [] };
  const pass = async (milliseconds: number): Promise<void> => {
    timers.advance(milliseconds);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { environment, timers, runs, files, stop, ended: watchCommand(command, environment, parts), pass };
}

describe('wink run --watch', () => {
  it('runs again 200 ms after the last change, and says what it does between', async () => {
    const { environment, runs, files, stop, ended, pass, timers } = watching(
      'run',
      'agent.ts',
      '--watch',
      '--quiet',
    );
    await pass(0);
    runs[0]?.end();
    await pass(1_000);
    expect(environment.stderr.text()).toBe('wink: watching 2 files, Ctrl-C ends\n');
    files.set('tools.ts', 'two');
    await pass(250);
    files.set('agent.ts', 'two');
    await pass(240);
    expect(runs).toHaveLength(1);
    await pass(100);
    expect(runs.map(({ argv }) => argv)).toEqual([
      ['run', 'agent.ts', '--quiet'],
      ['run', 'agent.ts', '--quiet'],
    ]);
    expect(environment.stderr.text()).toContain('\nwink: tools.ts changed, running again\n');
    stop.abort(new CliInterruption('interrupted', 130));
    expect(await ended).toBe(130);
    expect([runs[1]?.isStopped, timers.count]).toEqual([true, 0]);
  });

  it('interrupts a run whose files change, and begins the next one when it has ended', async () => {
    const { environment, runs, files, stop, ended, pass } = watching('run', 'agent.ts', '--watch');
    await pass(0);
    files.set('agent.ts', '');
    await pass(500);
    expect(runs.map(({ isStopped }) => isStopped)).toEqual([true, false]);
    expect(environment.stderr.text()).toBe('wink: agent.ts changed, running again\n');
    stop.abort(new CliInterruption('terminated', 143));
    expect(await ended).toBe(143);
  });

  it('watches what a run has loaded, and in the next one from its beginning', async () => {
    const { environment, runs, files, stop, ended, pass } = watching('run', 'agent.ts', '--watch');
    await pass(0);
    files.set('alias.ts', 'one');
    runs[0]?.load('alias.ts', 'agent.ts');
    runs[0]?.end();
    await pass(100);
    expect(environment.stderr.text()).toBe('wink: watching 3 files, Ctrl-C ends\n');
    for (const [content, count] of [
      ['two', 2],
      ['three', 3],
    ] as const) {
      files.set('alias.ts', content);
      await pass(500);
      expect(runs).toHaveLength(count);
    }
    expect(environment.stderr.text()).toContain('\nwink: alias.ts changed, running again\n');
    stop.abort(new CliInterruption('interrupted', 130));
    expect(await ended).toBe(130);
  });

  it('ends between two runs', async () => {
    const { runs, stop, ended, pass } = watching('run', '--watch', 'agent.ts', '--', '--watch');
    await pass(0);
    runs[0]?.end();
    await pass(100);
    stop.abort(new CliInterruption('interrupted', 130));
    expect(await ended).toBe(130);
    expect(runs.map(({ argv }) => argv)).toEqual([['run', 'agent.ts', '--', '--watch']]);
  });

  it.each(['--apply', '--durable', '--journal=j.db', '--json', '--record'])(
    'is refused with %s',
    (option) => {
      expect(() => request('run', 'agent.ts', '--watch', option)).toThrow(
        `--watch runs again and again to try an agent out: leave out ${option.replace(/=.*/, '')}.`,
      );
    },
  );
});
