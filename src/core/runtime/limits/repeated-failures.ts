import { digestOf } from '../../filesystem/index.ts';
import { canonicalJson } from '../../schema/index.ts';
import type { ToolInvokedPayload } from '../../tool/index.ts';

/** A failing call that the model has made too often. */
export interface Repetition {
  readonly invocation: ToolInvokedPayload;
  readonly failures: number;
}

/** What counts of a call that the model asked for. */
interface RequestedCall {
  readonly arguments: string;
  readonly isCutOff?: boolean;
}

/** How many different failing calls are remembered. Beyond it the one that was made the longest ago is forgotten. */
const maxRemembered = 256;
/** Arguments that are longer are remembered by their digest. */
const maxKeyLength = 256;

const encoder = new TextEncoder();

/**
 * Counts in how many turns the same call failed for the same reason while no call was committed. Takes bounded memory. A commit of any call
 * forgets all of it: the state is another one, so the same call may have another result.
 */
export class RepeatedFailures {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();

  /** @param limit how many are too many. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Counts the calls of one turn, in their order. Calls that are alike count once in a turn: the model has not read yet what is wrong with them.
   *
   * @returns the call that has now failed too often; undefined when none has.
   */
  count(
    calls: readonly RequestedCall[],
    results: readonly { readonly invocation: ToolInvokedPayload }[],
  ): Repetition | undefined {
    let failed: Map<string, ToolInvokedPayload> | undefined;
    for (let index = 0; index < calls.length; index += 1) {
      const call = calls[index];
      const invocation = results[index]?.invocation;
      if (call === undefined || invocation === undefined) continue;
      if (invocation.outcome === 'committed' || invocation.reason === 'sections-opened') {
        failed = undefined;
        if (this.#counts.size > 0) this.#counts.clear();
        continue;
      }
      failed ??= new Map();
      failed.set(keyOf(call, invocation), invocation);
    }
    return failed === undefined ? undefined : this.#countTurn(failed);
  }

  #countTurn(failed: ReadonlyMap<string, ToolInvokedPayload>): Repetition | undefined {
    let repetition: Repetition | undefined;
    for (const [key, invocation] of failed) {
      const failures = (this.#counts.get(key) ?? 0) + 1;
      // Deleted first, so that it is the youngest entry.
      this.#counts.delete(key);
      this.#counts.set(key, failures);
      if (failures >= this.#limit) repetition ??= { invocation, failures };
    }
    this.#forgetOldest();
    return repetition;
  }

  #forgetOldest(): void {
    for (const key of this.#counts.keys()) {
      if (this.#counts.size <= maxRemembered) return;
      this.#counts.delete(key);
    }
  }
}

function keyOf(call: RequestedCall, { toolName, reason, params }: ToolInvokedPayload): string {
  const key = `${toolName} ${reason} ${argumentsOf(call, params)}`;
  return key.length <= maxKeyLength ? key : digestOf(encoder.encode(key));
}

/** What is left of the arguments of a call that was cut off differs from time to time. */
function argumentsOf(call: RequestedCall, params: ToolInvokedPayload['params']): string {
  if (call.isCutOff === true) return '';
  return params === undefined ? call.arguments : canonicalJson(params);
}
