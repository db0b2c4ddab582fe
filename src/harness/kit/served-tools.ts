import type {
  ToolRuntimeCall,
  ToolRuntimeCallOptions,
  ToolRuntimeOutput,
} from '../../core/evaluation/index.ts';
import type {
  EvaluationEnvironment,
  ModelTool,
  RunEvent,
  RunEventListener,
  RunObserver,
} from '../../core/runtime/index.ts';
import type { HarnessTools } from './agent-harness.ts';
import type { FinishTool } from './finish-tool.ts';

/** The events of one run, for its harness. */
export class HarnessEvents implements RunObserver {
  readonly #listeners = new Set<RunEventListener>();

  /** @returns ends it. */
  listen(listener: RunEventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onEvent = (event: RunEvent): void => {
    for (const listener of this.#listeners) listener(event);
  };
}

/** What {@link servedTools} are made of. */
interface ServedToolsParts extends Pick<EvaluationEnvironment, 'display'> {
  readonly events: HarnessEvents;
  readonly finish: FinishTool | undefined;
  readonly call: (call: ToolRuntimeCall, options: ToolRuntimeCallOptions) => Promise<ToolRuntimeOutput>;
}

/** The tools of a run as its harness gets them: those of the prompt, and the one that takes the answer. */
export function servedTools({ call, display, events, finish }: ServedToolsParts): HarnessTools {
  let shown: readonly ModelTool[] | undefined;
  let offered: readonly ModelTool[] = [];
  return Object.freeze({
    get instructions() {
      return display.rendered.text;
    },
    get tools() {
      // The same list while nothing is added: those who serve it compare.
      if (shown !== display.tools) {
        shown = display.tools;
        offered = finish === undefined ? shown : Object.freeze([...shown, finish.modelTool]);
      }
      return offered;
    },
    toolNamed: (name) => (name === finish?.name ? finish.tool : display.offered(name)?.tool),
    call: (asked, options = {}) => call(asked, options),
    onEvent: (listener) => events.listen(listener),
  } satisfies HarnessTools);
}
