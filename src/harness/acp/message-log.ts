import type { SessionNotification } from '@agentclientprotocol/sdk';
import type { HarnessRunOptions } from '../kit/index.ts';

/** What the model of an agent has said since it was last asked. A message that follows a call is a new one: the last one is the answer. */
export class MessageLog {
  readonly #options: Pick<HarnessRunOptions, 'logger' | 'onDelta'>;
  #text = '';
  #isInterrupted = false;
  #costUsd: number | undefined;

  constructor(options: Pick<HarnessRunOptions, 'logger' | 'onDelta'>) {
    this.#options = options;
  }

  /** The last message. */
  get text(): string {
    return this.#text;
  }

  /** What the session has cost, as the agent says; undefined when it does not, or in another currency. */
  get costUsd(): number | undefined {
    return this.#costUsd;
  }

  /** The model is asked. */
  begin(): void {
    this.#text = '';
    this.#isInterrupted = false;
  }

  async take({ update }: SessionNotification): Promise<void> {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        if (update.content.type === 'text') await this.#say(update.content.text);
        return;
      case 'agent_thought_chunk':
        if (update.content.type === 'text')
          await this.#options.onDelta?.({ type: 'reasoning-delta', text: update.content.text });
        return;
      case 'tool_call':
        this.#isInterrupted = true;
        this.#options.logger.debug('The agent calls a tool.', {
          title: update.title,
          kind: update.kind ?? '',
        });
        return;
      case 'usage_update':
        if (update.cost?.currency === 'USD') this.#costUsd = update.cost.amount;
        return;
      default:
        return;
    }
  }

  async #say(text: string): Promise<void> {
    if (this.#isInterrupted) this.#text = '';
    this.#isInterrupted = false;
    this.#text += text;
    await this.#options.onDelta?.({ type: 'text-delta', text });
  }
}
