import { AIMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { toolsCondition } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { by, cell } from '../harness/cell.ts';
import { diskFiles } from '../harness/files.ts';
import { LangGraphModel } from '../systems/langgraph.ts';
import { check, editFile, prepare, script } from './case.ts';

const edit = tool((input) => editFile(diskFiles, input), {
  name: 'edit_file',
  description: 'Change a text in a file.',
  schema: z.object({ path: z.string(), before: z.string(), after: z.string() }),
});
const model = new LangGraphModel(script);
// ToolNode runs the calls of a message at once. The quickstart has a node of one's own, which runs them one after the other.
const graph = new StateGraph(MessagesAnnotation)
  .addNode('agent', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addNode('tools', async ({ messages }) => {
    const last = messages.at(-1);
    const results = [];
    for (const call of AIMessage.isInstance(last) ? (last.tool_calls ?? []) : []) {
      results.push(await edit.invoke({ ...call, type: 'tool_call' }));
    }
    return { messages: results };
  })
  .addEdge(START, 'agent')
  .addConditionalEdges('agent', toolsCondition)
  .addEdge('tools', 'agent')
  .compile();

await cell(async () => {
  await prepare();
  await graph.invoke({ messages: [{ role: 'user', content: 'Raise the rates.' }] });
  return by('a tool node of your own', await check());
});
