import { ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { Command, MessagesValue, ReducedValue, START, StateGraph, StateSchema } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { cell } from '../../harness/cell.ts';
import { LangGraphModel } from '../../systems/langgraph.ts';
import { FileSaver } from '../../systems/langgraph-saver.ts';
import { check, script, values } from './case.ts';

const notes = z.array(z.string());
// A schema says what the state may hold (documentation: Graph API, State).
const State = new StateSchema({
  messages: MessagesValue,
  notes: new ReducedValue(
    notes.default(() => []),
    { inputSchema: notes, reducer: (all, more) => [...all, ...more] },
  ),
});
// A tool changes the state of the graph by the command that it returns.
const keep = tool(
  async ({ at }, config) => {
    const message = new ToolMessage({ content: 'Kept.', tool_call_id: config.toolCall.id });
    return new Command({ update: { notes: [values[at]], messages: [message] } });
  },
  { name: 'keep', description: 'Keep a note.', schema: z.object({ at: z.number() }) },
);
const model = new LangGraphModel(script);
const graph = new StateGraph(State)
  .addNode('agent', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addNode('tools', new ToolNode([keep]))
  .addEdge(START, 'agent')
  .addConditionalEdges('agent', toolsCondition)
  .addEdge('tools', 'agent')
  .compile({ checkpointer: new FileSaver('checkpoints') });
const config = { configurable: { thread_id: 'notes-1' }, recursionLimit: 100 };

await cell(() =>
  check(
    () => graph.invoke({ messages: [{ role: 'user', content: 'Keep them all.' }] }, config),
    async () => (await graph.getState(config)).values.notes,
  ),
);
