import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import {
  answerSchema,
  answerText,
  inputSchema,
  instructions,
  toolDescription,
  toolName,
} from './count-tool.ts';
import { runSystem } from './run-system.ts';
import type { Stage } from './stage.ts';

/** Above any number of turns that is measured: the graph counts the model and the tools of a turn as a step each. */
const recursionLimit = 1_000_000;

class ScriptedChatModel extends BaseChatModel {
  readonly #stage: Stage;

  constructor(stage: Stage) {
    super({});
    this.#stage = stage;
  }

  override _llmType(): string {
    return 'scripted';
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const calls = this.#stage.ask();
    if (calls.length > 0) {
      const toolCalls = calls.map(({ id, text }) => ({ id, name: toolName, args: JSON.parse(text) }));
      return toResult(new AIMessage({ content: '', tool_calls: toolCalls }));
    }
    const results = messages.filter((message) => ToolMessage.isInstance(message));
    const failures = results.filter(({ status }) => status === 'error');
    this.#stage.see({ results: results.length, failures: failures.length });
    return toResult(new AIMessage(answerText));
  }
}

await runSystem((stage) => {
  const count = tool(async (input) => JSON.stringify(await stage.run(input)), {
    name: toolName,
    description: toolDescription,
    schema: inputSchema,
  });
  const agent = createReactAgent({
    llm: new ScriptedChatModel(stage),
    tools: [count],
    prompt: instructions,
  });
  return async () => {
    const { messages } = await agent.invoke(
      { messages: [{ role: 'user', content: 'Begin.' }] },
      { recursionLimit },
    );
    const content = messages.at(-1)?.content;
    const text = typeof content === 'string' ? content : '';
    answerSchema.parse(JSON.parse(text));
    return text;
  };
});

function toResult(message: AIMessage): ChatResult {
  return { generations: [{ message, text: message.text }] };
}
