import OpenAI from 'openai';
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { z } from 'zod';
import { runTrace } from './run-trace.ts';
import { instructions } from './script.ts';
import { answerSchema, Project, tools } from './tools.ts';

await runTrace(({ baseURL, apiKey }, files) => {
  const project = new Project(files);
  const client = new OpenAI({ apiKey, baseURL });
  const run: Readonly<Record<string, (given: unknown) => Promise<string>>> = {
    [tools.read.name]: (given) => project.read(tools.read.schema.parse(given)),
    [tools.write.name]: (given) => project.write(tools.write.schema.parse(given)),
    [tools.search.name]: (given) => project.search(tools.search.schema.parse(given)),
  };
  const offered = Object.values(tools).map(({ name, description, schema }) => ({
    type: 'function' as const,
    name,
    description,
    parameters: z.toJSONSchema(schema),
    strict: true,
  }));

  const answerOf = async (input: ResponseInputItem[]) => {
    const events = await client.responses.create({
      model: 'gpt-5',
      instructions,
      input,
      tools: offered,
      stream: true,
    });
    for await (const event of events) if (event.type === 'response.completed') return event.response;
    throw new Error('The stream has no response.');
  };

  return {
    calls: () => project.calls,
    contentOf: (path) => project.contentOf(path),
    converse: async () => {
      const input: ResponseInputItem[] = [{ role: 'user', content: 'Begin.' }];
      while (true) {
        const { output } = await answerOf(input);
        // What a model said goes back to it as it came.
        input.push(...(output as ResponseInputItem[]));
        const calls = output.filter((item) => item.type === 'function_call');
        if (calls.length === 0) {
          const text = output
            .flatMap((item) => (item.type === 'message' ? item.content : []))
            .map((part) => (part.type === 'output_text' ? part.text : ''))
            .join('');
          answerSchema.parse(JSON.parse(text));
          return text;
        }
        const results = calls.map(async ({ call_id: callId, name, arguments: given }) => ({
          type: 'function_call_output' as const,
          call_id: callId,
          output: (await run[name]?.(JSON.parse(given))) ?? `There is no tool ${name}.`,
        }));
        input.push(...(await Promise.all(results)));
      }
    },
  };
});
