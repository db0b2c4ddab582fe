import { tool } from '@langchain/core/tools';
import { MessagesAnnotation, NodeTimeoutError, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { diskFiles } from '../harness/files.ts';
import { LangGraphModel } from '../systems/langgraph.ts';
import { check, exportInvoices, script, timeoutMs } from './case.ts';

const exportTool = tool(() => exportInvoices(diskFiles), {
  name: 'export',
  description: 'Export all invoices.',
  schema: z.object({}),
});
const model = new LangGraphModel(script);
// Limits belong to nodes (documentation: Fault tolerance, "Timeouts"): what a node returns after its time is dropped.
const graph = new StateGraph(MessagesAnnotation)
  .addNode('agent', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addNode('tools', new ToolNode([exportTool]), { timeout: timeoutMs })
  .addEdge(START, 'agent')
  .addConditionalEdges('agent', toolsCondition)
  .addEdge('tools', 'agent')
  .compile();

await cell(async () => {
  await graph.invoke({ messages: [{ role: 'user', content: 'Export.' }] }).catch((error: unknown) => {
    if (!(error instanceof NodeTimeoutError)) throw error;
  });
  return await check();
});
