import type { HiddenForm } from '../../core/runtime/index.ts';
import type { NamedSecret } from './secrets-of.ts';

/** Shorter lines of a secret also occur in ordinary text. */
const minLineCharacters = 16;
/** Of base64 and hex digits this many at least, so that a short secret is not found by chance. */
const minEncodedCharacters = 8;

/**
 * The ways in which programs write a secret: as it is, in JSON, as a word of a shell, in an address, in XML, in base64 and in hexadecimal
 * digits; and the lines of one with several.
 */
export function formsOf({ name, text }: NamedSecret): readonly HiddenForm[] {
  const lines = text.split(/\r?\n|\\n/).map((line) => line.trim());
  const written = [
    text,
    ...(lines.length > 1 ? lines.filter((line) => line.length >= minLineCharacters) : []),
  ];
  const plain = written.flatMap((each) => [each, ...wordsOfShell(each), ...inAddress(each), inXml(each)]);
  const forms = [
    ...plain.flatMap(inJson),
    ...[...inBase64(text), ...inHex(text)].filter(({ length }) => length >= minEncodedCharacters),
  ];
  return [...new Set(forms)].map((form) => ({ text: form, replacement: `<${name}>` }));
}

/** Results are shown as JSON, and JSON is put into JSON. Some writers escape slashes, and all but ASCII. */
function inJson(text: string): readonly string[] {
  const once = JSON.stringify(text).slice(1, -1);
  const ascii = once.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return [text, once, JSON.stringify(once).slice(1, -1), once.replaceAll('/', '\\/'), ascii];
}

/** In single quotes, in double quotes, and with a backslash before each character that means something. */
function wordsOfShell(text: string): readonly string[] {
  return [
    text.replaceAll("'", "'\\''"),
    text.replaceAll("'", `'"'"'`),
    text.replace(/["$`\\]/g, '\\$&'),
    text.replace(/[^\w@%+=:,./-]/g, '\\$&'),
  ];
}

/** As part of an address, of a form, and with every character encoded that may be. */
function inAddress(text: string): readonly string[] {
  const encoded = encodeURIComponent(text.toWellFormed());
  const strict = encoded.replace(/[!'()*]/g, percentOf);
  return [encoded, strict, strict.replaceAll('%20', '+'), encodeURI(text.toWellFormed())].flatMap((each) => [
    each,
    each.replace(/%[0-9A-F]{2}/g, (digits) => digits.toLowerCase()),
  ]);
}

function percentOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function inXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/**
 * In base64 and base64url: by itself, with its padding, and within something longer, at each of the three places in a group of bytes. Of
 * these only the characters that no other byte has a part in.
 */
function inBase64(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const within = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  const whole = bytes.toString('base64');
  return [whole, whole.replace(/=+$/, ''), ...within].flatMap((each) => [
    each,
    each.replaceAll('+', '-').replaceAll('/', '_'),
  ]);
}

function inHex(text: string): readonly string[] {
  const digits = Buffer.from(text).toString('hex');
  return [digits, digits.toUpperCase()];
}
