import { ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { Annotation, Command, MessagesAnnotation } from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { diskFiles } from '../harness/files.ts';
import { LangGraphModel } from '../systems/langgraph.ts';
import { check, prepare, publishReport, script } from './case.ts';

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  published: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});
// A tool changes the state of the graph by the command that it returns, so a failing one changes none of it.
const publish = tool(
  async (_input, config) => {
    await publishReport(diskFiles, () => undefined);
    const message = new ToolMessage({ content: 'Published.', tool_call_id: config.toolCall.id });
    return new Command({ update: { published: ['report.md'], messages: [message] } });
  },
  { name: 'publish', description: 'Publish the report.', schema: z.object({}) },
);
const agent = createReactAgent({ llm: new LangGraphModel(script), tools: [publish], stateSchema: State });

await cell(async () => {
  await prepare();
  const { published } = await agent.invoke({ messages: [{ role: 'user', content: 'Publish.' }] });
  return await check(published);
});
