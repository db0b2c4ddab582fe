import { tool } from '@langchain/core/tools';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { by, cell } from '../harness/cell.ts';
import type { Script } from '../harness/script.ts';
import { LangGraphModel, tokensOf } from '../systems/langgraph.ts';
import { check, failingScript, fetchPage, maxTokens, spendingScript } from './case.ts';

const fetchTool = tool(async ({ page }) => fetchPage(page), {
  name: 'fetch_page',
  description: 'Fetch a page.',
  schema: z.object({ page: z.number() }),
});
// A run ends after 25 steps (recursionLimit). Messages have what they used, and an edge ends the run by it.
const runOf = (script: Script) => {
  const model = new LangGraphModel(script);
  return new StateGraph(MessagesAnnotation)
    .addNode('agent', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode('tools', new ToolNode([fetchTool]))
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', (state) => {
      const used = state.messages.reduce((sum, message) => sum + tokensOf(message), 0);
      return used >= maxTokens ? END : toolsCondition(state);
    })
    .addEdge('tools', 'agent')
    .compile()
    .invoke({ messages: [{ role: 'user', content: 'Read it all.' }] });
};

await cell(async () =>
  by(
    'recursionLimit, an edge',
    await check(
      () => runOf(failingScript),
      () => runOf(spendingScript),
    ),
  ),
);
