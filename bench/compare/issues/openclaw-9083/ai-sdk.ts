import { generateText, isStepCount, tool } from 'ai-7';
import { z } from 'zod';
import { cell } from '../../harness/cell.ts';
import { aiSdkModel } from '../../systems/ai-sdk.ts';
import { check, script, spawnSession, thirtyDaysMs } from './case.ts';

const spawn = tool({ description: 'Start a session.', inputSchema: z.object({}), execute: spawnSession });

await cell(() =>
  check(async () => {
    // Limits of the run and of its calls: the setting `timeout` (documentation: AI SDK Core, Settings).
    const { text } = await generateText({
      model: aiSdkModel(script),
      prompt: 'Start it.',
      tools: { spawn_session: spawn },
      stopWhen: isStepCount(20),
      timeout: { totalMs: thirtyDaysMs, toolMs: thirtyDaysMs },
    });
    return text;
  }),
);
