import { readFile, writeFile } from 'node:fs/promises';
import { type ModelMessage, type ToolApprovalResponse, ToolLoopAgent, tool } from 'ai-7';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { diskFiles } from '../harness/files.ts';
import { currentPart, leave, startPart } from '../harness/part.ts';
import type { Script } from '../harness/script.ts';
import { aiSdkModel } from '../systems/ai-sdk.ts';
import { answeringScript, askingScript, check, planDeployment, prepare } from './case.ts';

const agentOf = (script: Script) =>
  new ToolLoopAgent({
    model: aiSdkModel(script),
    tools: {
      deploy: tool({
        description: 'Write the rates into the folder that the shop reads.',
        inputSchema: z.object({ target: z.string() }),
        execute: async ({ target }) => {
          const { path, text } = await planDeployment(diskFiles, target);
          await diskFiles.write(path, text);
          return 'Deployed.';
        },
      }),
    },
    toolApproval: { deploy: 'user-approval' },
  });

// Messages are kept, and the answer is added to them (documentation: Tool Approvals, "Handle Manual Approvals").
switch (currentPart) {
  case 'ask': {
    const messages: ModelMessage[] = [{ role: 'user', content: 'Deploy.' }];
    const { responseMessages, content } = await agentOf(askingScript()).generate({ messages });
    const answers = content.flatMap((part): ToolApprovalResponse[] =>
      part.type === 'tool-approval-request'
        ? [{ type: 'tool-approval-response', approvalId: part.approvalId, approved: true }]
        : [],
    );
    if (answers.length !== 1) throw new Error('The run did not ask.');
    await writeFile(
      'messages.json',
      JSON.stringify([...messages, ...responseMessages, { role: 'tool', content: answers }]),
    );
    await leave(undefined);
    break;
  }
  default:
    await cell(async () => {
      await prepare();
      await startPart(import.meta.url, 'ask');
      const messages = JSON.parse(await readFile('messages.json', 'utf8')) as ModelMessage[];
      await agentOf(answeringScript()).generate({ messages });
      // A request has the arguments of the call: the tool has not run yet.
      return await check(undefined);
    });
}
