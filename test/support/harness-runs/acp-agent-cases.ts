import { describe, expect, test } from 'vitest';
import type { ProviderAdapter } from 'weakincentives';
import { type FakeProvider, startFakeProvider } from '../fake-provider/fake-provider.ts';
import { expectAborted } from './expect-aborted.ts';
import { mustRun } from './installed.ts';
import { type PrivateFolder, privateFolder } from './private-folder.ts';
import { hanging, twoConflictingEdits, twoEdits, writeReadWrite } from './scripts.ts';
import { workshop } from './workshop.ts';

/** A real agent that speaks the Agent Client Protocol, with a model that follows a script. */
export interface AcpAgentUnderTest {
  readonly title: string;
  /** What `npm run test:harness` calls it. */
  readonly name: string;
  readonly isInstalled: boolean;
  /** Whether it runs the calls of an answer at the same time. */
  readonly runsCallsTogether: boolean;
  /** Its adapter, whose model is at the provider, with its own files in the folder. */
  readonly adapter: (provider: FakeProvider, folder: PrivateFolder) => Promise<ProviderAdapter>;
  /** Names of tools that its model has although they are not of the prompt. */
  readonly ownTools: readonly string[];
}

const toolsOfPrompt = 'edit_file glob grep hang ls read_file replace_together rm write_file'.split(' ');
/** Agents put the name of the server before that of the tool, or nothing. */
const isOfPrompt = (offered: string): boolean =>
  toolsOfPrompt.some(
    (tool) => offered === tool || (offered.startsWith('wink') && offered.endsWith(`_${tool}`)),
  );

/** What every agent of the protocol does with the tools of a prompt. */
export function testAcpAgent(agentUnderTest: AcpAgentUnderTest): void {
  const { adapter, isInstalled, name, ownTools, runsCallsTogether, title } = agentUnderTest;
  describe.skipIf(!isInstalled)(`${title}, over the Agent Client Protocol`, () => {
    test('is denied a write, reads, writes, and is done', async () => {
      await using provider = await startFakeProvider(writeReadWrite);
      await using folder = await privateFolder();
      const shop = workshop();
      const agent = await adapter(provider, folder);
      const response = await agent.evaluate(shop.prompt, {
        input: 'Go.',
        observers: shop.observers,
        streaming: true,
      });
      expect(response).toMatchObject({ text: 'Done.', finishReason: 'stop' });
      expect(shop.outcomes()).toEqual([
        ['write_file', 'denied'],
        ['read_file', 'committed'],
        ['write_file', 'committed'],
      ]);
      expect(await shop.text('config.yaml')).toBe('changed\n');
      expect(
        shop.events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join(''),
      ).toContain('Done.');
      expect(JSON.stringify(provider.requests.map(({ body }) => body))).toContain(
        'Change the files as you are asked to.',
      );
      const offered = provider.requests.flatMap(({ tools }) => tools);
      expect(new Set(offered.filter((tool) => !isOfPrompt(tool)))).toEqual(new Set(ownTools));
    });

    test('makes two edits of a file in one answer, and both are there', async () => {
      await using provider = await startFakeProvider(runsCallsTogether ? twoConflictingEdits : twoEdits);
      await using folder = await privateFolder();
      const shop = workshop();
      const agent = await adapter(provider, folder);
      await agent.evaluate(shop.prompt, { input: 'Go.', observers: shop.observers });
      expect(await shop.text('config.yaml')).toBe('a: one\nb: two\n');
      expect(shop.outcomes().map(([, outcome]) => outcome)).toEqual(['committed', 'committed', 'committed']);
      // The one that commits later has read what the other one has changed: it runs once more.
      const retries = shop.events.filter(({ type }) => type === 'tool-call-retry');
      expect(retries).toHaveLength(runsCallsTogether ? 1 : 0);
    });

    test('leaves no trace of a call in which it is aborted', async () => {
      await using provider = await startFakeProvider(hanging);
      await using folder = await privateFolder();
      await expectAborted(await adapter(provider, folder));
    });

    test('gives a structured answer by the tool finish, which corrects a wrong one', async () => {
      const finish = (count: unknown) => ({ calls: [{ name: 'finish', arguments: { count } }] });
      await using provider = await startFakeProvider([finish('many'), finish(4), { text: 'It is done.' }]);
      await using folder = await privateFolder();
      const shop = workshop();
      const agent = await adapter(provider, folder);
      const response = await agent.evaluate(shop.counter, { input: 'Count.', observers: shop.observers });
      expect(response).toMatchObject({ output: { count: 4 }, text: '{"count":4}' });
      expect(shop.events.filter(({ type }) => type === 'output-rejected')).toHaveLength(1);
    });
  });

  test.runIf(!isInstalled)(`${title} is not installed: its tests are skipped`, () => {
    expect(mustRun(name)).toBe(false);
  });
}
