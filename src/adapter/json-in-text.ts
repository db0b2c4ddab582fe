/** A text may hold many brackets that begin no JSON; further ones are not tried. */
const MAX_STARTS = 200;

/**
 * The JSON values that a model may have meant by a text, likeliest first: the whole of it, else its fenced blocks (tagged
 * `json` or not at all), else the objects and lists that stand in its sentences.
 */
export function* jsonInText(text: string): Generator<unknown, void> {
  const whole = parseJson(text.trim());
  if (whole !== undefined) {
    yield whole.value;
    return;
  }
  let isFound = false;
  for (const block of fencedBlocks(text)) {
    const parsed = parseJson(block);
    if (parsed === undefined) continue;
    isFound = true;
    yield parsed.value;
  }
  if (!isFound) yield* valuesInProse(text);
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The content of each fenced block. */
function* fencedBlocks(text: string): Generator<string, void> {
  let block: { readonly tag: string; readonly lines: string[] } | undefined;
  for (const line of text.split('\n')) {
    const fence = line.trim();
    if (block === undefined) {
      if (fence.startsWith('```')) block = { tag: fence.slice(3).trim().toLowerCase(), lines: [] };
    } else if (fence !== '```') block.lines.push(line);
    else {
      if (block.tag === '' || block.tag === 'json') yield block.lines.join('\n');
      block = undefined;
    }
  }
}

function* valuesInProse(text: string): Generator<unknown, void> {
  let starts = 0;
  for (let at = nextStart(text, 0); at >= 0 && starts < MAX_STARTS; starts += 1) {
    const end = endOfValue(text, at);
    const parsed = end === undefined ? undefined : parseJson(text.slice(at, end));
    if (parsed !== undefined) yield parsed.value;
    at = nextStart(text, parsed === undefined || end === undefined ? at + 1 : end);
  }
}

function nextStart(text: string, from: number): number {
  const found = text.slice(from).search(/[[{]/);
  return found < 0 ? -1 : from + found;
}

/** Behind the bracket that closes the one at `start`; undefined when none does. Brackets in strings do not count. */
function endOfValue(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      if (end === undefined) return undefined;
      at = end;
    } else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

function endOfString(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return undefined;
}
