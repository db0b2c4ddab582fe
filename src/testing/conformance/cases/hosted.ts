import { hostedOutputsOf } from '../../../core/tool/index.ts';
import { hostedMcpTool, webSearchTool } from '../../../suite/hosted/index.ts';
import { each, expectEqual, expectTrue } from '../expect.ts';
import { note } from '../fixture.ts';
import type { CaseDefinition } from '../stage.ts';
import { answer, type ConformanceSearch, call, itemsOf } from '../turn.ts';

const search = webSearchTool();
const shelf = hostedMcpTool({ config: { label: 'shelf', url: 'https://shelf.example/mcp' }, name: 'shelf' });
const sources = [
  { url: 'https://pears.example/ripe', title: 'Ripe pears' },
  { url: 'https://plums.example/', title: 'Plums' },
];
const found: ConformanceSearch = { invocationId: 'ws_1', query: 'ripe pears', status: 'completed', sources };
const text = 'Look 🍐: pears are ripe in autumn. Plums are not.';
const passage = 'pears are ripe in autumn.';
const start = text.indexOf(passage);
const cited: ConformanceSearch = { ...found, cited: [start, start + passage.length] };

/** Cases of hosted tools. */
export const hostedCases: readonly CaseDefinition[] = [
  {
    name: 'records a web search by the provider',
    needs: ['web-search'],
    script: [answer({ searches: [found], text })],
    play: async (stage) => {
      const run = await stage.finish(stage.workshop.agent({ hostedTools: [search] }));
      expectEqual('the hosted tools of the request', stage.request(1).hostedTools, ['web_search']);
      const { invocations } = hostedOutputsOf(run.response, search);
      const searches = invocations.map(({ status, queries, turn }) => ({ status, queries, turn }));
      const expected = { status: 'completed', queries: ['ripe pears'], turn: 1 };
      expectEqual('the searches', searches, [expected]);
      expectEqual('the sources', each(invocations[0]?.sources ?? [], 'url'), each(sources, 'url'));
      const called = run.events.filter(({ type }) => type === 'hosted-tool-called');
      expectEqual('the hosted-tool-called events', called.length, 1);
      expectEqual('the text of the response', run.response.text, text);
      expectEqual('the tool calls', run.calls, []);
    },
  },
  {
    name: 'links a passage to the source of a search',
    needs: ['web-search', 'citations'],
    script: [answer({ searches: [cited], text })],
    play: async (stage) => {
      const { response } = await stage.finish(stage.workshop.agent({ hostedTools: [search] }));
      const { citations } = hostedOutputsOf(response, search);
      expectEqual('citations', citations.length, 1);
      const [citation] = citations;
      const source = citation?.type === 'url' ? { url: citation.url, title: citation.title } : undefined;
      expectEqual('the source', source, sources[0]);
      expectEqual('the passage', citation?.span && response.text.slice(...citation.span), passage);
    },
  },
  {
    name: 'locates a cited passage after a pause',
    needs: ['web-search', 'citations', 'paused'],
    script: [
      answer({ searches: [found], text: 'I have looked.', finishReason: 'paused' }),
      answer({ searches: [{ ...cited, invocationId: 'ws_2' }], text }),
    ],
    play: async (stage) => {
      const { response } = await stage.finish(stage.workshop.agent({ hostedTools: [search] }));
      expectEqual('the text of the response', response.text, `I have looked.${text}`);
      const [citation] = hostedOutputsOf(response, search).citations;
      expectEqual('the passage', citation?.span && response.text.slice(...citation.span), passage);
    },
  },
  {
    name: 'records a failed web search',
    needs: ['web-search', 'failed-web-search'],
    script: [
      answer({
        searches: [{ invocationId: 'ws_0', query: 'pears', status: 'failed', sources: [] }, found],
        text,
      }),
    ],
    play: async (stage) => {
      const { response } = await stage.finish(stage.workshop.agent({ hostedTools: [search] }));
      const statuses = each(hostedOutputsOf(response, search).invocations, 'status');
      expectEqual('the statuses of the searches', statuses, ['failed', 'completed']);
    },
  },
  {
    name: 'records a web search before a tool call',
    needs: ['web-search'],
    script: [
      answer({ searches: [found], text: 'I note it.', toolCalls: [call('c1', 'note', { text: 'pears' })] }),
      answer({ text: 'Noted.' }),
    ],
    play: async (stage) => {
      const run = await stage.finish(stage.workshop.agent({ tools: [note], hostedTools: [search] }));
      const turns = each(hostedOutputsOf(run.response, search).invocations, 'turn');
      expectEqual('the turns of the searches', turns, [1]);
      const results = each(itemsOf(stage.request(2), 'result'), 'text');
      expectEqual('the results in request 2', results, ['Noted pears.']);
    },
  },
  {
    name: 'answers approval requests of the provider',
    needs: ['approvals'],
    script: [
      answer({
        approvalRequests: [
          { approvalId: 'ar_1', toolName: 'shelf', name: 'take', arguments: '{"what":"pear"}' },
          { approvalId: 'ar_2', toolName: 'shelf', name: 'burn', arguments: '{}' },
        ],
      }),
      answer({ text: 'I took one.' }),
    ],
    play: async (stage) => {
      const asked: unknown[] = [];
      const { response, events } = await stage.finish(stage.workshop.agent({ hostedTools: [shelf] }), {
        approve: ({ toolName, params }) => {
          asked.push({ toolName, params });
          return asked.length === 1 ? true : { approved: false, reason: 'Not that.' };
        },
      });
      expectEqual('the approval requests', asked, [
        { toolName: 'shelf', params: { name: 'take', arguments: { what: 'pear' } } },
        { toolName: 'shelf', params: { name: 'burn', arguments: {} } },
      ]);
      expectEqual('the answers in request 2', itemsOf(stage.request(2), 'approval'), [
        { type: 'approval', approvalId: 'ar_1', approved: true },
        { type: 'approval', approvalId: 'ar_2', approved: false },
      ]);
      expectEqual('the text of the response', response.text, 'I took one.');
      const decisions = events.filter(({ type }) => type === 'hosted-approval-answered');
      expectTrue('both decisions are emitted', decisions.length === 2);
    },
  },
];
