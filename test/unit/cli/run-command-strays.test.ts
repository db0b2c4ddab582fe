import { describe, expect, it } from 'vitest';
import { type AnyAgent, defineAgent, promptTemplate } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { CliInterruption } from '../../../src/cli/process/environment.ts';
import { StrayError } from '../../../src/cli/process/stray-error.ts';
import { runCommand } from '../../../src/cli/run-command.ts';
import { eventsOf, fakeEnvironment, ofAgent, parts, request } from './support.ts';

const template = promptTemplate({ ns: 'tests', key: 'demo', name: 'demo', sections: [vfsToolsSection()] });
const writer: AnyAgent = defineAgent({
  template,
  adapter: scriptedAdapter([
    { toolCalls: [{ name: 'write_file', arguments: { file_path: 'new.md', content: 'x\n' } }] },
    { text: 'All is\nwritten.' },
  ]),
});
const run = request('run', 'agent.ts');

describe('an error that nothing catches', () => {
  it('is told of after the result, which it does not change', async () => {
    const late = new StrayError('rejection', new Error('too\u001b late'));
    const taken = [[], [late]];
    const environment = fakeEnvironment({ takeStrays: async () => taken.shift() ?? [] });
    const code = await runCommand(request('run', 'agent.ts', '--json'), environment, parts(ofAgent(writer)));
    expect(code).toBe(0);
    expect(eventsOf(environment.stdout.text()).at(-1)).toMatchObject({
      type: 'command-result',
      outcome: 'done',
    });
    expect(environment.stderr.text()).toContain(
      'wink: after the end of the run: unhandled rejection of a promise that is not awaited: too<U+001B> late.\n',
    );
  });

  it('makes a run a failure that the model ended, and keeps what the model said', async () => {
    const environment = fakeEnvironment({
      takeStrays: async () => [new StrayError('exception', 'at the very end')],
    });
    const code = await runCommand(request('run', 'agent.ts', '--json'), environment, parts(ofAgent(writer)));
    expect(code).toBe(1);
    expect(eventsOf(environment.stdout.text()).at(-1)).toMatchObject({
      type: 'command-result',
      outcome: 'failed',
      text: 'All is\nwritten.',
      failure: 'the run of demo failed: uncaught exception: at the very end.',
    });
  });

  it('does not change how a run ends that was asked to stop', async () => {
    const stop = new AbortController();
    stop.abort(new CliInterruption('interrupted', 130));
    const environment = fakeEnvironment({
      signal: stop.signal,
      takeStrays: async () => [new StrayError('rejection', new Error('cut off'))],
    });
    await expect(runCommand(run, environment, parts(ofAgent(writer)))).rejects.toBe(stop.signal.reason);
  });
});
