import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  MemoryFilesystem,
  promptTemplate,
  readBeforeWritePolicy,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { codeEvaluationSection } from 'weakincentives/sandbox';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { deadlockMs } from '../support/deadlock.ts';
import { type Language, playCode, skipReason, suiteName } from './support/play-code.ts';

const installed = fileURLToPath(
  new URL('../peers/sandbox/node_modules/weakincentives/dist/', import.meta.url),
);
const built = fileURLToPath(new URL('../../dist/', import.meta.url));
const child = fileURLToPath(new URL('support/children/hold-code.mjs', import.meta.url));
const hasProc = existsSync('/proc/self/stat');

/** Native code that looks at no limit of the interpreter, and code that does. */
const endless: Readonly<Record<Language, string>> = {
  javascript: 'for (;;) {}',
  python: 'x = 3 ** 10**6\nfor i in range(9): x = x * x',
};

/** The processes for the evaluation of code below a process. */
function evaluatorsOf(parent: number | undefined): readonly number[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const [, ppid] = readFileSync(`/proc/${pid}/stat`, 'latin1')
        .replace(/^.*\) /s, '')
        .split(' ');
      const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      return Number(ppid) === parent && line.includes('evaluate/program.js') ? [Number(pid)] : [];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}`) && !isZombie(pid);

function isZombie(pid: number): boolean {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\)/s, ''));
  } catch {
    return true;
  }
}

/** Clock ticks that a process has used in user mode. */
function ticksOf(pid: number): number {
  return Number(
    readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')[11],
  );
}

/** Waits until a condition holds; the limit of the test ends it when it never does. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(10);
}

/** Waits until code of a call runs: the start and the self-test of the process take less. */
async function untilBusy(pid: number): Promise<void> {
  await until(() => ticksOf(pid) > 150);
}

function start(dist: string, language: Language, code: string): ChildProcess {
  return spawn(process.execPath, [child, dist, language, code], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function outputOf(program: ChildProcess): Promise<{ results: string[]; messages: string[] }> {
  if (program.stdout === null) throw new Error('The child was started without an output.');
  // As the child prints it.
  return JSON.parse(await text(program.stdout)) as { results: string[]; messages: string[] };
}

function promptFor(
  filesystem: MemoryFilesystem,
  language: Language,
  more: Parameters<typeof promptTemplate>[0]['sections'] = [],
) {
  const sections = [
    vfsToolsSection({ filesystem, policies: [] }),
    codeEvaluationSection({ languages: [language], limits: { timeoutMs: deadlockMs } }),
    ...more,
  ];
  return promptTemplate({ ns: 'tests', key: 'evaluate', sections }).bind();
}

const evaluateCall = (args: Readonly<Record<string, unknown>>) => ({
  name: 'evaluate_code',
  arguments: args,
});

describe.each(['javascript', 'python'] as const)('the process of evaluate_code', (language) => {
  describe.skipIf(skipReason(language) !== undefined)(suiteName('for', language), () => {
    it.skipIf(!hasProc)('ends when our process is killed, whatever code does', async () => {
      const program = start(installed, language, endless[language]);
      await until(() => evaluatorsOf(program.pid).length === 1);
      const [evaluator = 0] = evaluatorsOf(program.pid);
      await untilBusy(evaluator);
      program.kill('SIGKILL');
      await once(program, 'exit');
      await until(() => !isRunning(evaluator));
      expect(isRunning(evaluator)).toBe(false);
    });

    it('does not keep a process alive that forgets its session', async () => {
      const program = start(installed, language, '40 + 2');
      const [output, [code]] = await Promise.all([outputOf(program), once(program, 'exit')]);
      expect([output.results, code]).toStrictEqual([['value: 42'], 0]);
    });

    it.skipIf(!hasProc)('is replaced after a kill from outside, of a running call and of none', async () => {
      const filesystem = new MemoryFilesystem({ files: { a: 'a' } });
      const session = new Session();
      const before = evaluatorsOf(process.pid);
      const own = () => evaluatorsOf(process.pid).filter((pid) => !before.includes(pid));
      const killer = tool({
        name: 'kill_idle',
        description: 'Kill the process that waits.',
        effects: 'read',
        execute: async () => {
          const [pid = 0] = own();
          process.kill(pid, 'SIGKILL');
          await until(() => !isRunning(pid));
          return ToolResult.ok(null, 'killed');
        },
      });
      const adapter = scriptedAdapter([
        { toolCalls: [evaluateCall({ code: endless[language], writes: ['a'] })] },
        { toolCalls: [evaluateCall({ code: '40 + 2' })] },
        { toolCalls: [{ name: 'kill_idle' }] },
        { toolCalls: [evaluateCall({ code: '40 + 3' })] },
        { text: 'done' },
      ]);
      const extra = section({ title: 'K', key: 'k', template: 'K.', tools: [killer] });
      const run = adapter.evaluate(promptFor(filesystem, language, [extra]), { session });
      await until(() => own().length === 1);
      const [running = 0] = own();
      await untilBusy(running);
      process.kill(running, 'SIGKILL');
      const { conversation } = await run;
      const results = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
      expect(results).toStrictEqual([
        expect.stringContaining('The interpreter crashed or ran out of memory. No file was written.'),
        'value: 42',
        'killed',
        'value: 43',
      ]);
      const [last = 0] = own();
      await session[Symbol.asyncDispose]();
      expect(isRunning(last)).toBe(false);
    });

    it.skipIf(!hasProc)('is killed by an abort, and leaves no file', async () => {
      const filesystem = new MemoryFilesystem({ files: { a: 'a' } });
      await using session = new Session();
      const controller = new AbortController();
      const before = evaluatorsOf(process.pid);
      const own = () => evaluatorsOf(process.pid).filter((pid) => !before.includes(pid));
      const code = `write_text('b', 'x')\n${endless[language]}`;
      const run = scriptedAdapter([{ toolCalls: [evaluateCall({ code, writes: ['b'] })] }])
        .evaluate(promptFor(filesystem, language), { session, signal: controller.signal })
        .catch((error: unknown) => error);
      await until(() => own().length === 1);
      const [running = 0] = own();
      await untilBusy(running);
      controller.abort(new Error('stop'));
      expect(await run).toBeInstanceOf(Error);
      await until(() => !isRunning(running));
      expect(await filesystem.stat('b')).toBeUndefined();
    });

    it('runs two calls of a turn that change one file as if one came after the other', async () => {
      const filesystem = new MemoryFilesystem({ files: { log: '0\n' } });
      await using session = new Session();
      const code = (mark: string) => `write_text('log', read_text('log') + '${mark}')`;
      const calls = ['a', 'b', 'c'].map((mark) =>
        evaluateCall({ code: code(mark), reads: ['log'], writes: ['log'] }),
      );
      await scriptedAdapter([{ toolCalls: calls }, { text: 'done' }]).evaluate(
        promptFor(filesystem, language),
        { session },
      );
      const { text: log } = await filesystem.read('log');
      expect([...log].sort().join('')).toBe('\n0abc');
    });

    it('takes part in the rollback of a nested evaluation', async () => {
      const filesystem = new MemoryFilesystem({ files: { a: 'a' } });
      await using session = new Session();
      const inner = promptFor(filesystem, language);
      const outer = tool({
        name: 'delegate',
        description: 'Delegate.',
        effects: 'state',
        execute: async (_params, { adapter, filesystem: view }) => {
          const { conversation } = await adapter.evaluate(inner);
          const results = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
          const written = (await view.stat('b')) === undefined ? 'nothing' : (await view.read('b')).text;
          return ToolResult.error(`${results.join()} and ${written}`);
        },
      });
      const extra = section({ title: 'D', key: 'd', template: 'Delegate.', tools: [outer] });
      const adapter = scriptedAdapter((_conversation, { instructions, turn }) => {
        if (turn !== 1) return { text: 'done' };
        return instructions.includes('Delegate.')
          ? { toolCalls: [{ name: 'delegate' }] }
          : { toolCalls: [evaluateCall({ code: "write_text('b', 'x')\n1", writes: ['b'] })] };
      });
      const { conversation } = await adapter.evaluate(promptFor(filesystem, language, [extra]), { session });
      const results = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
      expect(results[0]).toContain('value: 1\nWritten: b and ');
      expect(await filesystem.stat('b')).toBeUndefined();
    });

    it('writes only what the policies allow', async () => {
      const code = "write_text('a.txt', 'x')\n1";
      const denied = await playCode([{ code, reads: ['a.txt'], writes: ['a.txt'] }], {
        languages: [language],
        policies: [readBeforeWritePolicy()],
      });
      expect(denied.results[0]).toContain('read_file');
      expect((await denied.filesystem.read('a.txt')).text).toBe('one ü\n');
      const exempt = await playCode([{ code, writes: ['a.txt', 'new.txt'] }], {
        languages: [language],
        policies: [readBeforeWritePolicy({ exempt: ['evaluate_code'] })],
      });
      expect(exempt.results[0]).toBe('value: 1\nWritten: a.txt');
    });

    it('fails the evaluation at its start when the package is missing, with the line to install it', async () => {
      // Where the package is built, the dependencies are found, and the peers are not.
      const { results, messages } = await outputOf(start(built, language, '40 + 2'));
      expect(results).toStrictEqual([]);
      const { name, peer } = {
        javascript: { name: 'JavaScript', peer: 'quickjs-emscripten' },
        python: { name: 'Python', peer: '@pydantic/monty' },
      }[language];
      expect(messages.join('\n')).toContain(
        `The evaluation of ${name} does not work here: the package "${peer}" could not be loaded. Install it with \`npm install ${peer}@^0.`,
      );
    });
  });
});

describe('the process of evaluate_code', () => {
  it('runs many calls', async () => {
    const calls = Array.from({ length: 90 }, (_, index) => ({ code: `${index} + 1` }));
    const { results } = await playCode(calls);
    expect(results).toStrictEqual(calls.map((_, index) => `value: ${index + 1}`));
  });
});
