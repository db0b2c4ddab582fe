import { PromptValidationError } from '../../../core/error/index.ts';
import { isRecord } from '../../../core/internal/index.ts';
import type { Logger } from '../../../core/tool/index.ts';
import type { WireFields } from '../../kit/index.ts';

/** Maximum number of remembered warnings; some contain parts of the conversation. */
const maxRemembered = 200;

/** Reads the warnings of a model: each is logged once. A warning that a tool was omitted ends the evaluation. */
export class Warnings {
  readonly #model: string;
  readonly #logged = new Set<string>();

  /** @param model for messages. */
  constructor(model: string) {
    this.#model = model;
  }

  /** @throws {PromptValidationError} when the provider's package omitted tools. */
  read(warnings: unknown, logger: Logger): void {
    for (const warning of Array.isArray(warnings) ? warnings.filter(isRecord) : []) {
      const text = textOf(warning);
      if (isAboutTools(warning)) {
        throw new PromptValidationError(
          `${this.#model} did not receive all tools of the prompt (${text}). Remove the tool from the prompt, or use a model that supports it.`,
          { details: { warning: text } },
        );
      }
      if (this.#logged.has(text)) continue;
      if (this.#logged.size >= maxRemembered) this.#logged.clear();
      this.#logged.add(text);
      logger.warn(`${this.#model} warns: ${text}`, { type: String(warning['type']) });
    }
  }
}

/** True for a warning that a package omitted a tool from the request. */
function isAboutTools({ type, feature }: WireFields): boolean {
  return type === 'unsupported' && typeof feature === 'string' && leftOut.test(feature);
}

const leftOut = /^(tools?\b|(provider|function)[a-z -]* tool\b|combination of function and provider)/i;

function textOf({ type, feature, setting, message, details }: WireFields): string {
  return [type, feature, setting, message, details].filter((part) => typeof part === 'string').join(', ');
}
