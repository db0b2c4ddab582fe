import { describe, expect, test } from 'vitest';
import { PromptValidationError, type ProviderAdapter } from 'weakincentives';
import { adapterConformance, ConformanceError, type ConformancePeer } from 'weakincentives/conformance';
import { scriptedPeer } from '../../../support/conformance/scripted-peer.ts';

const name = 'continues a conversation in another evaluation';

/** The scripted model behind an adapter that does `before` with the options of each evaluation. */
function peerThat(
  before: (adapter: ProviderAdapter, ...given: Parameters<ProviderAdapter['evaluate']>) => Promise<void>,
): ConformancePeer {
  const peer = scriptedPeer();
  return {
    ...peer,
    refused: [{ name, option: 'history' }],
    connect: async (provider) => {
      const connection = await peer.connect(provider);
      const { adapter } = connection;
      return {
        adapter: {
          ...adapter,
          evaluate: async (prompt, options) => {
            await before(adapter, prompt, options);
            return adapter.evaluate(prompt, options);
          },
        },
        [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
      };
    },
  };
}

function caseOf(peer: ConformancePeer) {
  const found = adapterConformance(peer).find((each) => each.name.startsWith(`${peer.name}, whole: ${name}`));
  if (found === undefined) throw new Error('There is no such case.');
  return found;
}

const refusal = new PromptValidationError('No history here.', { details: { option: 'history' } });

describe('a case that is declared as refused', () => {
  test('has the option in its name, and passes when the adapter refuses it at once', async () => {
    const refusing = caseOf(
      peerThat(async (_adapter, _prompt, options) => {
        if (options?.history !== undefined) throw refusal;
      }),
    );
    expect(refusing.name).toBe(`scripted model, whole: ${name} (refused: history)`);
    expect(refusing.skipped).toBeUndefined();
    await expect(refusing.run()).resolves.toBeUndefined();
  });

  test('fails when the adapter honors the option', async () => {
    const error: unknown = await caseOf(peerThat(async () => undefined))
      .run()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConformanceError);
    expect(error).toMatchObject({ message: expect.stringContaining('refuses the option history') });
  });

  test('fails when the adapter ignores the option', async () => {
    const ignoring = peerThat(async () => undefined);
    const peer: ConformancePeer = {
      ...ignoring,
      connect: async (provider) => {
        const connection = await ignoring.connect(provider);
        const { adapter } = connection;
        const evaluate: ProviderAdapter['evaluate'] = (prompt, { history: _ignored, ...options } = {}) =>
          adapter.evaluate(prompt, options);
        return { ...connection, adapter: { ...adapter, evaluate } };
      },
    };
    await expect(caseOf(peer).run()).rejects.toThrow('refuses the option history');
  });

  test('fails when the adapter refuses another option', async () => {
    const other = new PromptValidationError('No session here.', { details: { option: 'session' } });
    const refusing = peerThat(async () => {
      throw other;
    });
    await expect(caseOf(refusing).run()).rejects.toThrow('refuses the option history');
  });

  test('fails when the adapter has asked its model before', async () => {
    const late = peerThat(async (adapter, prompt, options) => {
      if (options?.history === undefined) return;
      await adapter.evaluate(prompt, options);
      throw refusal;
    });
    await expect(caseOf(late).run()).rejects.toThrow('what was done before history was refused');
  });

  test('must exist', () => {
    const peer = { ...scriptedPeer(), refused: [{ name: 'flies to the moon', option: 'moon' }] };
    expect(() => adapterConformance(peer)).toThrow('refused cases that do not exist: "flies to the moon"');
  });
});
