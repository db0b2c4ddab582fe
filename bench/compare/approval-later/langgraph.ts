import { tool } from '@langchain/core/tools';
import { Command, interrupt, task } from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { by, cell } from '../harness/cell.ts';
import { diskFiles } from '../harness/files.ts';
import { currentPart, leave, leftBy, startPart } from '../harness/part.ts';
import type { Script } from '../harness/script.ts';
import { LangGraphModel } from '../systems/langgraph.ts';
import { FileSaver } from '../systems/langgraph-saver.ts';
import { answeringScript, askingScript, check, planDeployment, prepare } from './case.ts';

// A node runs again from its start when it is resumed (documentation: Interrupts). What a task has returned is kept
// (documentation: Durable execution, "Using tasks in nodes"), so the change is worked out once.
const plan = task('plan', (target: string) => planDeployment(diskFiles, target));
const deploy = tool(
  async ({ target }) => {
    const change = await plan(target);
    if (interrupt(change) !== 'yes') return 'Denied.';
    await diskFiles.write(change.path, change.text);
    return 'Deployed.';
  },
  {
    name: 'deploy',
    description: 'Write the rates into the folder that the shop reads.',
    schema: z.object({ target: z.string() }),
  },
);
const agentOf = (script: Script) =>
  createReactAgent({
    llm: new LangGraphModel(script),
    tools: [deploy],
    checkpointer: new FileSaver('checkpoints'),
    version: 'v2',
  });
const config = { configurable: { thread_id: 'deploy-1' } };

switch (currentPart) {
  case 'ask': {
    const agent = agentOf(askingScript());
    await agent.invoke({ messages: [{ role: 'user', content: 'Deploy.' }] }, config);
    const { tasks } = await agent.getState(config);
    const question: unknown = tasks[0]?.interrupts[0]?.value;
    if (question === undefined) throw new Error('The run did not ask.');
    await leave((question as { readonly text: string }).text);
    break;
  }
  default:
    await cell(async () => {
      await prepare();
      const shown = leftBy<string>(await startPart(import.meta.url, 'ask'));
      await agentOf(answeringScript()).invoke(new Command({ resume: 'yes' }), config);
      return by('interrupt() and task()', await check(shown));
    });
}
