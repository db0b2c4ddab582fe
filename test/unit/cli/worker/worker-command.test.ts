import { describe, expect, it } from 'vitest';
import { type AnyAgent, defineAgent, type RunJournal, section, ToolResult, tool } from 'weakincentives';
import { type RunQueue, submitRun } from 'weakincentives/durable';
import {
  createManualClock,
  memoryJournal,
  memoryQueue,
  type ScriptedTurn,
  scriptedAdapter,
} from 'weakincentives/testing';
import type { CommandParts } from '../../../../src/cli/agent/command-parts.ts';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { CliInterruption } from '../../../../src/cli/process/environment.ts';
import { submitCommand } from '../../../../src/cli/worker/submit-command.ts';
import { workerCommand } from '../../../../src/cli/worker/worker-command.ts';
import { agentWith, greeter, statusOf } from '../../agent/worker/worker-setup.ts';
import { fakeEnvironment } from '../support.ts';

const database = ['--journal', 'postgres://user@db/runs'];
const modelled = (agent: AnyAgent, script: readonly ScriptedTurn[] = [{ text: 'Hello.' }]): AnyAgent =>
  Object.freeze({ ...agent, adapter: () => scriptedAdapter(script) });

/** A queue as the command opens it. */
const opened = (queue: RunQueue) => async () => ({ queue, [Symbol.asyncDispose]: async () => undefined });

/** Runs `wink worker` on agents by path. */
function work(
  agents: Readonly<Record<string, AnyAgent>>,
  options: readonly string[] = [],
  queue: RunQueue = memoryQueue(),
  journal: RunJournal = memoryJournal(),
  further: Partial<CommandParts> = {},
) {
  const request = readArguments(['worker', ...Object.keys(agents), ...database, '--drain', '1s', ...options]);
  if (request.kind !== 'worker') throw new Error(JSON.stringify(request));
  const stop = new AbortController();
  const environment = fakeEnvironment({ signal: stop.signal });
  const kept = Object.assign(journal, { [Symbol.asyncDispose]: async () => undefined });
  const ended = workerCommand(request, environment, {
    // The names are those of the table.
    load: async (name) => ({ agent: agents[name] as AnyAgent, folder: '/agents' }),
    openQueue: opened(queue),
    journals: {
      open: async () => kept,
      openExisting: async () => kept,
      pathsOf: () => ({ journal: undefined, blobs: undefined }),
    },
    ...further,
  });
  const end = (): Promise<number> => {
    stop.abort(new CliInterruption('terminated', 143));
    return ended;
  };
  return { ...environment, queue, journal, ended, end };
}

describe('wink worker', () => {
  it('opens the agent for each run with the params of its job, and says how it has ended', async () => {
    const texts: string[] = [];
    const agent = defineAgent({
      template: greeter.template,
      adapter: ({ params }) => {
        texts.push(JSON.stringify(params));
        return scriptedAdapter([{ text: 'Hello.' }]);
      },
    });
    const { queue, stdout, stderr, end, journal } = work({ 'a.ts': agent }, ['--max-turns', '3']);
    await submitRun({ queue, job: { agent: 'greeter', runId: 'r1', params: { name: 'Ann' } } });
    await expect.poll(stdout.text).toBe('r1 has ended\n');
    await submitRun({ queue, job: { agent: 'greeter', runId: 'r2' } });
    await expect.poll(stdout.text).toBe('r1 has ended\nr2 has ended\n');
    expect(await end()).toBe(0);
    expect(texts).toContain('{"name":"Ann"}');
    expect(await statusOf(journal, 'r1')).toBe('finished');
    expect(stderr.text()).toContain('wink: takes jobs of "greeter"');
    expect(stderr.text()).toContain('wink: takes no more jobs; 0 runs in hand.');
  });

  it('leaves the questions of policies for later', async () => {
    const agent = modelled(
      agentWith(() => undefined, true),
      [{ toolCalls: [{ name: 'work', arguments: { run: 'r' } }] }],
    );
    const { queue, stdout, end } = work({ 'a.ts': agent });
    await submitRun({ queue, job: { agent: 'works', runId: 'r' } });
    await expect.poll(stdout.text).toBe('r waits for 1 answer\n');
    await end();
  });

  it('mounts servers and reports to OpenTelemetry once for all runs, until they have ended', async () => {
    const steps: string[] = [];
    const echo = tool({
      name: 'srv_echo',
      description: 'Answers.',
      effects: 'read',
      execute: async () => {
        steps.push('call');
        return ToolResult.ok(null, 'Echo.');
      },
    });
    const served = section({ title: 'Tools of srv', key: 'srv', template: 'Echo.', tools: [echo] });
    const further: Partial<CommandParts> = {
      openServers: async ({ file }) => {
        steps.push(`open ${file}`);
        return {
          notes: ['srv has a note'],
          secrets: [{ name: 'srv TOKEN', text: 'very-secret-token' }],
          addTo: (agent) => Object.freeze({ ...agent, template: agent.template['~withSections']([served]) }),
          close: async () => void steps.push('close'),
        };
      },
      startTelemetry: async () => {
        steps.push('start');
        return {
          observer: { onEvent: ({ type }) => void (type === 'run-end' && steps.push('span')) },
          runIn: (inner) => inner(),
          end: async () => {
            steps.push('end');
            return ['telemetry: no answer to very-secret-token.'];
          },
        };
      },
    };
    const agent = defineAgent({
      template: greeter.template,
      adapter: () =>
        scriptedAdapter([{ toolCalls: [{ name: 'srv_echo', arguments: {} }] }, { text: 'Hello.' }]),
    });
    const options = ['--mcp', 'servers.json', '--otel', '--concurrency', '1'];
    const { queue, stdout, stderr, end } = work(
      { 'a.ts': agent },
      options,
      memoryQueue(),
      memoryJournal(),
      further,
    );
    await submitRun({ queue, job: { agent: 'greeter', runId: 'r1', params: { name: 'Ann' } } });
    await submitRun({ queue, job: { agent: 'greeter', runId: 'r2' } });
    await expect.poll(stdout.text).toBe('r1 has ended\nr2 has ended\n');
    expect(await end()).toBe(0);
    const runs = ['call', 'span', 'call', 'span'];
    expect(steps).toEqual(['open servers.json', 'start', ...runs, 'end', 'close']);
    expect(stderr.text().split('wink: srv has a note.')).toHaveLength(2);
    expect(stderr.text()).toContain('wink: telemetry: no answer to ');
    expect(stderr.text()).not.toContain('very-secret-token');
  });

  it('puts a job aside whose params are wrong, and shows no secret', async () => {
    const queue = memoryQueue();
    const { stderr, end } = work({ 'a.ts': modelled(greeter) }, [], queue);
    await submitRun({ queue, job: { agent: 'greeter', runId: 'r', params: { name: 7 } } });
    await expect.poll(() => queue.ended.map(({ outcome }) => outcome.kind)).toEqual(['aside']);
    await end();
    expect(stderr.text()).toContain('wink: run r: ');
  });

  it('gives no advice about the database for a model that is away', async () => {
    const queue = memoryQueue();
    const away = scriptedAdapter(() => {
      throw Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:443'), { code: 'ECONNREFUSED' });
    });
    const { stderr, end } = work({ 'a.ts': { ...modelled(greeter), adapter: away } }, [], queue);
    await submitRun({ queue, job: { agent: 'greeter', runId: 'r', params: { name: 'Ann' } } });
    await expect.poll(stderr.text).toContain('wink: run r: ');
    await end();
    expect(stderr.text()).toContain('ECONNREFUSED 10.0.0.7:443');
    expect(stderr.text()).not.toContain('database');
  });

  it('says once that the database is away, and what to do', async () => {
    const clock = createManualClock();
    const refused = { message: 'connect ECONNREFUSED 127.0.0.1:1', code: 'ECONNREFUSED', queue: 'runs' };
    const request = readArguments(['worker', 'a.ts', ...database]);
    if (request.kind !== 'worker') throw new Error(JSON.stringify(request));
    const stop = new AbortController();
    const environment = fakeEnvironment({ signal: stop.signal });
    const kept = Object.assign(memoryJournal(), { [Symbol.asyncDispose]: async () => undefined });
    const ended = workerCommand(request, environment, {
      clock,
      load: async () => ({ agent: modelled(greeter), folder: '/agents' }),
      openQueue: async ({ onError }) => {
        for (const error of [refused, refused, new Error('Connection terminated')]) onError(error);
        clock.advance(60_000);
        onError(refused);
        return { queue: memoryQueue(), [Symbol.asyncDispose]: async () => undefined };
      },
      journals: {
        open: async () => kept,
        openExisting: async () => kept,
        pathsOf: () => ({ journal: undefined, blobs: undefined }),
      },
    });
    await expect.poll(environment.stderr.text).toContain('takes jobs of');
    stop.abort(new CliInterruption('terminated', 143));
    await ended;
    const advice =
      'Start the database, or correct the host and the port of the address. The worker continues.';
    expect(environment.stderr.text().split('\n').slice(0, 3)).toEqual([
      `wink: connect ECONNREFUSED 127.0.0.1:1. ${advice}`,
      'wink: Connection terminated. The worker continues.',
      `wink: connect ECONNREFUSED 127.0.0.1:1. ${advice} (1 more time meanwhile)`,
    ]);
  });

  it.each([
    [{ 'a.ts': modelled({ ...greeter, workspace: {} }) }, [], 'works on a folder'],
    [{ 'a.ts': greeter }, [], 'has no model'],
    [{ 'a.ts': modelled(greeter), 'b.ts': modelled(greeter) }, [], 'two agents have the name "greeter"'],
  ])('refuses an agent that it cannot run', async (agents, options, message) => {
    await expect(work(agents, options).ended).rejects.toThrow(message);
  });

  it('lets an agent answer by its own function', async () => {
    const asked: string[] = [];
    const approve: AnyAgent['approve'] = async ({ toolName }) => {
      asked.push(toolName);
      return { approved: true };
    };
    const script = [{ toolCalls: [{ name: 'work', arguments: { run: 'r' } }] }, { text: 'done' }];
    const agent = modelled({ ...agentWith(() => undefined, true), approve }, script);
    const { queue, stdout, end } = work({ 'a.ts': agent });
    await submitRun({ queue, job: { agent: 'works', runId: 'r' } });
    await expect.poll(stdout.text).toBe('r has ended\n');
    await end();
    expect(asked).toEqual(['work']);
  });

  it.each([
    [['worker'], 'no agent given'],
    [['worker', 'a.ts', '--concurrency', '0'], '--concurrency is "0"'],
    [['worker', 'a.ts', '--drain', '5'], '--drain is "5"'],
    [['worker', 'a.ts', '--input', 'Hi.'], 'unknown option "--input"'],
    [['submit'], 'no agent given'],
    [['submit', 'a', 'b'], 'wink submit takes NAME: 1 at most, not 2.'],
    [['submit', 'a', '--priority', 'high'], '--priority is "high"'],
    [
      ['submit', 'a', '--start-after', 'soon'],
      '--start-after is "soon"; it must be a time such as 30m, 12h or 30d, or a date',
    ],
    [['submit', 'a', '--params', '[]'], '--params must be'],
  ])('refuses %j', (argv, message) => {
    expect(readArguments(argv)).toMatchObject({
      kind: 'usage-error',
      message: expect.stringContaining(message),
    });
  });
});

describe('wink submit', () => {
  async function submit(argv: readonly string[], queue = memoryQueue()) {
    const request = readArguments(['submit', ...argv, ...database]);
    if (request.kind !== 'submit') throw new Error(JSON.stringify(request));
    const environment = fakeEnvironment();
    const code = await submitCommand(request, environment, opened(queue));
    return { code, waiting: queue.waiting, text: environment.stdout.text() };
  }

  it('sends the job and prints the name of its run', async () => {
    const options = ['--input', 'Hi.', '--params', '{"name":"Ann"}', '--priority=-5', '--agent-version', '7'];
    const at = '2026-12-01T06:00:00Z';
    expect(await submit(['greeter', ...options, '--run-id', 'r', '--start-after', at])).toEqual({
      code: 0,
      text: 'r\n',
      waiting: [
        {
          agent: 'greeter',
          runId: 'r',
          input: 'Hi.',
          params: { name: 'Ann' },
          priority: -5,
          version: '7',
          startAfter: at,
        },
      ],
    });
  });

  it('names the run, and counts the time from now', async () => {
    const { text, waiting } = await submit(['greeter', '--start-after', '2h']);
    expect(waiting).toMatchObject([{ runId: text.trim(), startAfter: expect.stringMatching(/^\d{4}-.*Z$/) }]);
  });

  it('refuses a date that is none', async () => {
    await expect(submit(['greeter', '--start-after', '2026-12-01'])).rejects.toThrow('startAfter');
  });
});
