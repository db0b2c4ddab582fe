import type {
  ToolRuntimeCall,
  ToolRuntimeCallOptions,
  ToolRuntimeOutput,
} from '../../core/evaluation/index.ts';
import type { EvaluationEnvironment, ModelTool } from '../../core/runtime/index.ts';
import type { HarnessTools } from './agent-harness.ts';
import type { FinishTool } from './finish-tool.ts';
import type { HarnessEvents } from './harness-events.ts';

/** What {@link servedTools} are made of. */
export interface ServedToolsParts extends Pick<EvaluationEnvironment, 'display'> {
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
    toolNamed: (name) => (name === finish?.name ? finish.tool : display.rendered.boundTools.get(name)?.tool),
    call: (asked, options = {}) => call(asked, options),
    onEvent: (listener) => events.listen(listener),
  } satisfies HarnessTools);
}
