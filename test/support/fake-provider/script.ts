/** A call that the model of a script makes; the name is that of the tool without what a harness puts before it. */
export interface ScriptCall {
  readonly name: string;
  readonly arguments: object;
}

/** What the model says in one turn: a text, calls, or both. */
export interface ScriptStep {
  readonly text?: string;
  readonly calls?: readonly ScriptCall[];
}

/** How far a conversation is: what every interface can count in a request. */
export interface Progress {
  /** Results of tools. */
  readonly results: number;
  /** Answers of the model without a call. */
  readonly answers: number;
}

/** A tool that a request offers. */
export interface OfferedTool {
  readonly name: string;
  /** Where the tools of a server are grouped. */
  readonly namespace?: string;
}

/** A turn of the model, with the names of the request. */
export interface Turn {
  /** Another one for each turn: harnesses put what has the same id into one message. */
  readonly id: string;
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly tool: OfferedTool; readonly arguments: string }[];
}

/**
 * The turn that comes next. It depends on the request alone: one that is sent again, or another one beside it, does not change what comes.
 *
 * @param tools none: a request of the harness for itself, such as a title.
 */
export function nextTurn(
  steps: readonly ScriptStep[],
  tools: readonly OfferedTool[],
  progress: Progress,
): Turn {
  const id = `${progress.results}_${progress.answers}`;
  if (tools.length === 0) return { id, text: 'ok', calls: [] };
  let { results, answers } = progress;
  for (const [index, { text = '', calls = [] }] of steps.entries()) {
    if (calls.length === 0 ? answers > 0 : results >= calls.length) {
      if (calls.length === 0) answers -= 1;
      else results -= calls.length;
      continue;
    }
    return {
      id,
      text,
      calls: calls.map((call, number) => ({
        id: `call_${index}_${number}`,
        tool: toolNamed(call.name, tools),
        arguments: JSON.stringify(call.arguments),
      })),
    };
  }
  return { id, text: 'The script is over.', calls: [] };
}

function toolNamed(name: string, tools: readonly OfferedTool[]): OfferedTool {
  const found = tools.find((tool) => tool.name === name || tool.name.endsWith(`_${name}`));
  // A harness that does not offer it has to deal with the call.
  return found ?? { name };
}
