import type { ConversationItem } from '../../../core/tool/index.ts';
import { each, expectEqual } from '../expect.ts';
import { note } from '../fixture.ts';
import type { CaseDefinition } from '../stage.ts';
import { answer, call, itemsOf } from '../turn.ts';
import { expectMarks, expectRead, expectResults } from './expectations.ts';

/** Another provider may use characters in its ids that this one rejects; the adapter then renames the call. */
const foreignId = 'call_of_another.1';
const foreignHistory: readonly ConversationItem[] = [
  { type: 'user', content: [{ type: 'text', text: 'Note a.' }] },
  {
    type: 'assistant',
    content: [
      { type: 'reasoning', text: 'Secretly.' },
      { type: 'text', text: 'I note it.' },
      { type: 'tool-call', callId: foreignId, name: 'note', arguments: '{"text":"a"}' },
    ],
    raw: { provider: 'conformance: another provider', items: [{ type: 'unknown', secret: true }] },
  },
  { type: 'tool-result', callId: foreignId, toolName: 'note', text: 'Noted a.', isError: false },
];

/** Cases of conversations that are continued. */
export const conversationCases: readonly CaseDefinition[] = [
  {
    name: 'continues a conversation in another evaluation',
    script: [
      answer({ text: 'I note it.', toolCalls: [call('c1', 'note', { text: 'a' })] }),
      answer({ text: 'Noted.' }),
      answer({ toolCalls: [call('c2', 'note', { text: 'b' })] }),
      answer({ text: 'Noted, too.' }),
    ],
    play: async (stage) => {
      const agent = stage.workshop.agent({ tools: [note] });
      const first = await stage.finish(agent, { input: 'Note a.' });
      // Serialized, as a store would return it.
      const history: readonly ConversationItem[] = JSON.parse(JSON.stringify(first.response.conversation));
      const second = await stage.finish(agent, { input: 'Note b.', history });
      expectEqual('the text of the response', second.response.text, 'Noted, too.');
      const said = each(itemsOf(stage.request(4), 'user'), 'text');
      expectEqual('the messages of the user', said, ['Note a.', 'Note b.']);
      expectResults(stage, 4, [
        ['c1', 'Noted a.'],
        ['c2', 'Noted b.'],
      ]);
    },
  },
  {
    name: 'returns reasoning to the provider unchanged',
    needs: ['reasoning', 'reasoning-replay'],
    script: [
      answer({ reasoning: 'A note, then.', toolCalls: [call('c1', 'note', { text: 'a' })] }),
      answer({ reasoning: 'That was it.', text: 'Noted.' }),
      answer({ text: 'Still noted.' }),
    ],
    play: async (stage) => {
      const agent = stage.workshop.agent({ tools: [note] });
      const { response } = await stage.finish(agent);
      const before = itemsOf(stage.request(2), 'reasoning');
      expectEqual('the reasoning in request 2', before, [{ type: 'reasoning', isIntact: true }]);
      await stage.finish(agent, { input: 'And now?', history: response.conversation });
      const intact = itemsOf(stage.request(3), 'reasoning').every(({ isIntact }) => isIntact);
      expectEqual('whether all reasoning in request 3 is intact', intact, true);
    },
  },
  {
    name: 'continues a conversation that began with another provider',
    script: [answer({ text: 'I continue.' })],
    play: async (stage) => {
      const agent = stage.workshop.agent({ tools: [note] });
      const { response } = await stage.finish(agent, { history: foreignHistory });
      expectEqual('the text of the response', response.text, 'I continue.');
      const types = each(stage.request(1).conversation, 'type');
      expectEqual('the conversation in the request', types, ['user', 'assistant', 'call', 'result', 'user']);
    },
  },
  {
    // The state after a process was killed while its calls ran: providers reject calls without a result.
    name: 'completes a conversation that ends in calls without results',
    script: [
      answer({ toolCalls: [call('c1', 'note', { text: 'a' }), call('c2', 'note', { text: 'b' })] }),
      answer({ text: 'Noted.' }),
      answer({ text: 'I continue.' }),
    ],
    play: async (stage) => {
      const agent = stage.workshop.agent({ tools: [note] });
      const { conversation } = (await stage.finish(agent)).response;
      // The user, the calls and the first of their results.
      const history = conversation.slice(0, 3);
      const { response } = await stage.finish(agent, { input: 'And now?', history });
      expectEqual('the text of the response', response.text, 'I continue.');
      const results = itemsOf(stage.request(3), 'result');
      expectEqual('the calls that have a result', each(results, 'callId'), ['c1', 'c2']);
      expectEqual('the recorded result', results[0]?.text, 'Noted a.');
      expectRead(stage, 3, 1, 'that the other call was interrupted', 'interrupted');
      expectMarks(stage, 3, [false, true]);
      const said = each(itemsOf(stage.request(3), 'user'), 'text');
      expectEqual('the messages of the user', said, ['Go.', 'And now?']);
    },
  },
];
