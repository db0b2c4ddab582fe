/** What an example of examples/issues shows, switched off: a text that is in the built package exactly once, and what takes its place. */
export interface SwitchedOff {
  /** The mechanism. */
  readonly what: string;
  readonly text: string;
  readonly replacement: string;
}

const conflicts: SwitchedOff = {
  what: 'what a call has read is compared with what other calls have committed',
  text: 'const inSession = this.#session.conflicts();',
  replacement: 'if (this.#session !== undefined) return none;\n const inSession = none;',
};

/** By the name of the example. */
export const switchedOff: Readonly<Record<string, SwitchedOff>> = {
  'claude-code-39344': {
    what: 'a denial wins over a question before it',
    text: 'else if (outcome === "ask") questions.push(rest);',
    replacement: 'else if (outcome === "ask") { questions.push(rest); break; }',
  },
  'claude-code-62122': conflicts,
  'claude-code-64346': {
    what: 'what a handler throws fails its call only',
    text: 'function verdictOn(thrown, environment, attempt) {',
    replacement: 'function verdictOn(thrown, environment, attempt) {\n throw thrown;',
  },
  'claude-code-78797': {
    what: 'policies of the outer prompt reach the calls inside',
    text: 'const reaching = notAmong(outer, own).filter(({ scope }) => scope !== "own");',
    replacement: 'const reaching = none;',
  },
  'claude-code-85842': {
    what: 'bytes that are not UTF-8 are no text',
    text: 'fatal: true,\n\tignoreBOM: true\n});\nfunction startsBinary',
    replacement: 'ignoreBOM: true\n});\nfunction startsBinary',
  },
  'codex-37282': {
    what: 'what turns take is counted',
    text: 'this.isUnlimited = this.#trackers.length === 0;',
    replacement: 'this.isUnlimited = true;',
  },
  'deepagents-5469': {
    what: 'a path of the host is the path in the workspace',
    text: 'if (!absolute.test(given) || given.startsWith("/") && roots.length === 0) return same;',
    replacement: 'if (roots !== void 0) return same;',
  },
  'elastic-34': {
    what: 'a replay compares how calls end',
    text: 'if (endOf$1(recorded) !== endOf$1(now)) differences.push({',
    replacement: 'if (recorded === now) differences.push({',
  },
  'langchainjs-9843': {
    what: 'an unknown tool is an answer to its call',
    text: 'if (bound === void 0) return rejected("unknown-tool", unknownTool(call.toolName, display, allowedTools), params);',
    replacement: 'if (bound === void 0) throw new Error(`There is no tool ${call.toolName}.`);',
  },
  'langgraph-6491': {
    what: 'items are validated before they are part of a slice',
    text: 'for (const item of items) parsed.push(parse(item));',
    replacement: 'for (const item of items) parsed.push(item);',
  },
  'langgraph-8039': {
    what: 'a call that had begun is in doubt after a crash',
    text: 'if (!tool.reenters && hooks.isInDoubt(name)) return stepsInDoubt;',
    replacement: '',
  },
  'mastra-15341': {
    what: 'a schema is followed where it refers to itself',
    text: 'return [typeof $ref === "string" ? [this.#resolve($ref, given)] : none,',
    replacement: 'return [none,',
  },
  'mastra-19301': {
    what: 'what was approved takes the place of the handler',
    text: 'if (question === void 0 || !isSameCall(question, call, params)) return void 0;',
    replacement: 'if (call !== undefined) return void 0;',
  },
  'oh-my-pi-6681': {
    what: 'rules get a copy of the arguments that is read-only',
    text: 'this.#copy = frozenCopy(params);',
    replacement: 'this.#copy = { value: params, isFrozen: true };',
  },
  'openai-agents-python-4254': {
    what: 'the ledger is asked for what was done once',
    text: 'if (tool.once === void 0) return void 0;\n',
    replacement: 'return void 0;\n',
  },
  'openclaw-128028': {
    what: 'only what succeeded is committed',
    text: 'const patch = reached.kind === "succeeded" ? this.attempt',
    replacement: 'const patch = this.attempt !== void 0 ? this.attempt',
  },
  'openclaw-9083': {
    what: 'a wait is split into what timers take',
    text: 'Math.min(Math.max(delayMs, 0), maxTimerMs)',
    replacement: 'delayMs',
  },
  'opencode-17758': {
    what: 'texts are made well-formed where they enter the conversation',
    text: 'return text.isWellFormed() ? text : text.toWellFormed();',
    replacement: 'return text;',
  },
  'opencode-45892': {
    what: 'new texts are put in by position',
    text: 'withEndings(put, content.slice(start, end), frequent);\n\t\tcopiedTo',
    replacement: 'content.slice(changeStart, changeEnd).replace(/^.*$/s, put.given);\n\t\tcopiedTo',
  },
  'opencode-8312': {
    what: 'a call that was cut short has a result',
    text: 'this.#conversation.push(item);',
    replacement: 'if (reason !== "aborted") this.#conversation.push(item);',
  },
  'pi-2327': conflicts,
  'pi-5278': {
    what: 'a zero for what there was reports nothing',
    text: 'if (inputTokens > 0 && outputTokens > 0) return usage;',
    replacement: 'return usage;',
  },
  'pi-8943': {
    what: 'integers that a number does not hold are found',
    text: 'const integers = wasParsed ? unsafeIntegers(text) : roundedIntegers(text);',
    replacement: 'const integers = [];',
  },
  'software-agent-sdk-3845': {
    what: 'budgets of the outer runs hold inside',
    text: 'const outerTrackers = outer === void 0 ? [] : outer.#trackers;',
    replacement: 'const outerTrackers = [];',
  },
  'temporal-sdk-python-1890': {
    what: 'the rows of a request have what is new in its conversation',
    text: 'edits: this.#edits.next(conversation),',
    replacement: 'edits: [{ at: 0, remove: 0, insert: [...conversation] }],',
  },
  'vscode-321578': {
    what: 'a result says how a cut line continues',
    text: 'if (first !== void 0 && firstCharacter === void 0) {',
    replacement: 'if (first !== void 0 && firstCharacter !== void 0) {',
  },
};
