import { describe, expect, test } from 'vitest';
import { acp } from 'weakincentives/acp';
import { evaluationFailure } from '../support/failure.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider/fake-provider.ts';
import { installedFile, mustRun } from '../support/harness-runs/installed.ts';
import { type PrivateFolder, privateFolder } from '../support/harness-runs/private-folder.ts';
import { hanging, twoEdits, writeReadWrite } from '../support/harness-runs/scripts.ts';
import { workshop } from '../support/harness-runs/workshop.ts';

const command = installedFile('opencode', 'opencode-linux-x64/bin/opencode');

/** OpenCode with a model that follows a script. Its own tools are denied. */
function opencode({ url }: FakeProvider, { path }: PrivateFolder) {
  const config = {
    model: 'fake/scripted',
    small_model: 'fake/scripted',
    provider: {
      fake: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Fake',
        options: { baseURL: `${url}/v1`, apiKey: 'no-key' },
        models: { scripted: { name: 'Scripted', tool_call: true } },
      },
    },
    permission: { '*': 'deny', 'wink*': 'allow' },
    autoupdate: false,
    share: 'disabled',
  };
  return acp({
    command: command ?? '',
    args: ['acp'],
    env: {
      HOME: path,
      XDG_CONFIG_HOME: `${path}/config`,
      XDG_DATA_HOME: `${path}/data`,
      XDG_CACHE_HOME: `${path}/cache`,
      XDG_STATE_HOME: `${path}/state`,
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
      OPENCODE_DISABLE_AUTOUPDATER: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    },
  });
}

describe.skipIf(command === undefined)('OpenCode, over the Agent Client Protocol', () => {
  test('is denied a write, reads, writes, and is done', async () => {
    await using provider = await startFakeProvider(writeReadWrite);
    await using folder = await privateFolder();
    const shop = workshop();
    const response = await opencode(provider, folder).evaluate(shop.prompt, {
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
    // Its own tools are not offered to its model.
    const offered = new Set(provider.requests.flatMap(({ tools }) => tools));
    expect([...offered].filter((name) => !name.startsWith('wink'))).toEqual([]);
    expect(JSON.stringify(provider.requests.map(({ body }) => body))).toContain(
      'Change the files as you are asked to.',
    );
  });

  test('makes two edits of a file at the same time, and both are there', async () => {
    await using provider = await startFakeProvider(twoEdits);
    await using folder = await privateFolder();
    const shop = workshop();
    await opencode(provider, folder).evaluate(shop.prompt, { input: 'Go.', observers: shop.observers });
    expect(await shop.text('config.yaml')).toBe('a: one\nb: two\n');
    expect(shop.outcomes().filter(([name]) => name === 'edit_file')).toEqual([
      ['edit_file', 'committed'],
      ['edit_file', 'committed'],
    ]);
  });

  test('leaves no trace of a call in which it is aborted', async () => {
    await using provider = await startFakeProvider(hanging);
    await using folder = await privateFolder();
    const shop = workshop();
    const controller = new AbortController();
    const run = opencode(provider, folder).evaluate(shop.prompt, {
      input: 'Go.',
      observers: shop.observers,
      signal: controller.signal,
    });
    await shop.hangs;
    controller.abort();
    const error = await evaluationFailure(run);
    expect([error.code, error.phase]).toEqual(['evaluation-aborted', 'tool']);
    expect(shop.outcomes()).toEqual([['hang', 'aborted']]);
    expect(await shop.text('hung.md')).toBeUndefined();
  });

  test('gives a structured answer by the tool finish, which corrects a wrong one', async () => {
    const finish = (count: unknown) => ({ calls: [{ name: 'finish', arguments: { count } }] });
    await using provider = await startFakeProvider([finish('many'), finish(4), { text: 'It is done.' }]);
    await using folder = await privateFolder();
    const shop = workshop();
    const response = await opencode(provider, folder).evaluate(shop.counter, {
      input: 'Count.',
      observers: shop.observers,
    });
    expect(response).toMatchObject({ output: { count: 4 }, text: '{"count":4}' });
    expect(shop.events.filter(({ type }) => type === 'output-rejected')).toHaveLength(1);
  });
});

test.runIf(command === undefined)('OpenCode is not installed: its tests are skipped', () => {
  expect(mustRun('opencode')).toBe(false);
});
