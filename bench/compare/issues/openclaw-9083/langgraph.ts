import { tool } from '@langchain/core/tools';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { cell } from '../../harness/cell.ts';
import { LangGraphModel } from '../../systems/langgraph.ts';
import { check, script, spawnSession, thirtyDaysMs } from './case.ts';

const spawn = tool(() => spawnSession(), {
  name: 'spawn_session',
  description: 'Start a session.',
  schema: z.object({}),
});

await cell(() =>
  check(async () => {
    const model = new LangGraphModel(script);
    // Limits belong to nodes (documentation: Fault tolerance, "Timeouts").
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('agent', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode('tools', new ToolNode([spawn]), { timeout: thirtyDaysMs })
      .addEdge(START, 'agent')
      .addConditionalEdges('agent', toolsCondition)
      .addEdge('tools', 'agent')
      .compile();
    const { messages } = await graph.invoke({ messages: [{ role: 'user', content: 'Start it.' }] });
    return messages.at(-1)?.text;
  }),
);
