import { present } from '../../internal/index.ts';
import type { ToolChoice } from '../../tool/index.ts';
import type { VisiblePrompt } from './visible-prompt.ts';

/**
 * The tool choice of each turn: a call is forced in the first turn that is answered, and what is allowed, or forbidden, is so in all of them.
 *
 * @see docs/spec/evaluation.md §14
 */
export class TurnChoices {
  readonly #choice: ToolChoice;
  readonly #display: Pick<VisiblePrompt, 'tools' | 'isOwn'>;
  /** The tools that the names were made of. */
  #tools: VisiblePrompt['tools'] | undefined;
  #names: readonly string[] = [];

  constructor(choice: ToolChoice, display: Pick<VisiblePrompt, 'tools' | 'isOwn'>) {
    this.#choice = choice;
    this.#display = display;
  }

  /** That of the first turn. */
  get first(): ToolChoice {
    const choice = this.#choice;
    return typeof choice === 'string' || !('allowed' in choice)
      ? choice
      : { allowed: this.#allowed(choice.allowed), ...present({ required: choice.required }) };
  }

  /** That of the turns after an answer. */
  get later(): ToolChoice {
    const choice = this.#choice;
    if (typeof choice === 'string') return choice === 'none' ? choice : 'auto';
    return 'allowed' in choice ? { allowed: this.#allowed(choice.allowed) } : 'auto';
  }

  /** With the tools of the runtime itself that the model has now. */
  #allowed(given: readonly string[]): readonly string[] {
    const { tools } = this.#display;
    if (this.#tools !== tools) {
      const own = tools.filter(({ name }) => this.#display.isOwn(name)).map(({ name }) => name);
      this.#names = [...new Set([...given, ...own])];
      this.#tools = tools;
    }
    return this.#names;
  }
}
