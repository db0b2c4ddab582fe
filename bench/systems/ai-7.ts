import { generateText, isStepCount, type LanguageModel, tool } from 'ai-7';
import { answerAiSdk } from './ai-sdk-answer.ts';
import { answerSchema, inputSchema, instructions, outputSchema, toolDescription } from './count-tool.ts';
import { runSystem } from './run-system.ts';

/** Above any number of turns that is measured. */
const maxTurns = 1_000_000;

await runSystem((stage) => {
  const count = tool({
    description: toolDescription,
    inputSchema,
    outputSchema,
    execute: (input) => stage.run(input),
  });
  // A plain object: the mock of the package keeps the options of every call.
  const model: LanguageModel = {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: async ({ prompt }) => answerAiSdk(stage, prompt),
    doStream: () => Promise.reject(new Error('Nobody streams here.')),
  };
  return async () => {
    const { text } = await generateText({
      model,
      instructions,
      prompt: 'Begin.',
      tools: { count },
      stopWhen: isStepCount(maxTurns),
    });
    answerSchema.parse(JSON.parse(text));
    return text;
  };
});
