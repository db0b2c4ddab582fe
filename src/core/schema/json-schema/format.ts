import { isUnicodePattern } from './pattern.ts';

const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  const [, year = 0, month = 0, day = 0] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day >= 1 && day <= (month === 2 && isLeap ? 29 : (days[month - 1] ?? 0));
}

/** RFC 3339: with an offset, and a leap second at the end of a day in UTC only. */
function isTime(text: string): boolean {
  const parts = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i.exec(text);
  if (parts === null) return false;
  const [hour = 0, minute = 0, second = 0] = parts.slice(1, 4).map(Number);
  const offsetHour = Number(parts[5] ?? 0);
  const offsetMinute = Number(parts[6] ?? 0);
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false;
  const offset = (parts[4] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute);
  return second < 60 || (((hour * 60 + minute - offset) % 1440) + 1440) % 1440 === 1439;
}

function isDateTime(text: string): boolean {
  const [date = '', time = '', ...more] = text.split(/[t\s]/i);
  return more.length === 0 && isDate(date) && isTime(time);
}

const durationPattern =
  /^P(?:\d+W|(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?|T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))$/;

function isHostname(text: string): boolean {
  return (
    text.length <= 253 &&
    text.split('.').every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(label))
  );
}

function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  const halves = text.split('::');
  if (halves.length > 2) return false;
  let groups = 0;
  for (const [at, half] of halves.entries()) {
    const parts = half === '' ? [] : half.split(':');
    for (const [index, part] of parts.entries()) {
      const isEnd = at === halves.length - 1 && index === parts.length - 1;
      if (isEnd && isIpv4(part)) groups += 2;
      else if (/^[0-9a-f]{1,4}$/i.test(part)) groups += 1;
      else return false;
    }
  }
  return halves.length === 2 ? groups < 8 : groups === 8;
}

function isEmail(text: string): boolean {
  const isQuoted = text.startsWith('"');
  const at = isQuoted ? text.indexOf('@', text.lastIndexOf('"')) : text.indexOf('@');
  const name = text.slice(0, at);
  const host = text.slice(at + 1);
  if (at < 1 || name.length > 64 || host.length > 253) return false;
  const isName = isQuoted
    ? /^"(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*"$/.test(name)
    : name.split('.').every((part) => /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+$/i.test(part));
  if (!isName || !host.startsWith('[') || !host.endsWith(']')) return isName && isHostname(host);
  const address = host.slice(1, -1);
  return /^ipv6:/i.test(address) ? isIpv6(address.slice(5)) : isIpv4(address);
}

/** RFC 3986: the parts of a reference, each of the characters it may have. */
function isUriReference(text: string): boolean {
  const parts = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is.exec(text);
  if (parts === null) return false;
  const [, scheme, authority, path = '', query = '', fragment = ''] = parts;
  // Without a scheme the first step of a path must not be `a:b`, which would be a scheme.
  if (scheme === undefined && authority === undefined && /^[^/]*:/.test(path)) return false;
  return (
    (authority === undefined || isAuthority(authority)) &&
    /^(?:[a-z0-9._~!$&'()*+,;=:@/-]|%[0-9a-f]{2})*$/i.test(path) &&
    [query, fragment].every((part) => /^(?:[a-z0-9._~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})*$/i.test(part))
  );
}

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf('@');
  const user = authority.slice(0, Math.max(at, 0));
  const parts = /^(?:\[(.*)\]|([^:]*))(?::(\d*))?$/s.exec(authority.slice(at + 1));
  if (parts === null) return false;
  const [, literal, name = ''] = parts;
  return (
    /^(?:[a-z0-9._~!$&'()*+,;=:-]|%[0-9a-f]{2})*$/i.test(user) &&
    (literal === undefined || isIpv6(literal) || /^v[0-9a-f]+\.[a-z0-9._~!$&'()*+,;=:-]+$/i.test(literal)) &&
    /^(?:[a-z0-9._~!$&'()*+,;=-]|%[0-9a-f]{2})*$/i.test(name)
  );
}

function isUri(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(text) && isUriReference(text);
}

/** An address with a name that has a point in it, and two characters or more after the point. */
function isUrl(text: string): boolean {
  const [, host = ''] = /^(?:https?|ftp):\/\/([^\s/?#]+)(?:[/?#]\S*)?$/i.exec(text) ?? [];
  const point = host.indexOf('.', 1);
  return point > 0 && host.length > point + 2;
}

/** RFC 6570: what is left without the expressions is of the characters that a text may have. */
function isUriTemplate(text: string): boolean {
  const left = text.replaceAll(/\{[+#./;?&=,!@|]?([^{}]+)\}/g, (_expression, names: string) =>
    names.split(',').every(isVariable) ? '' : '{',
  );
  return /^(?:[^\p{Cc} "<>%\\^`{|}]|%[0-9a-f]{2})*$/iu.test(left);
}

function isVariable(text: string): boolean {
  return (
    /^(?:[a-z0-9_.]|%[0-9a-f]{2})+(?::[1-9]\d{0,3}|\*)?$/i.test(text) && !/^\.|\.\.|\.(?:$|[:*])/.test(text)
  );
}

/** The formats of strings that are checked. Any other `format` says something to readers alone. Each test takes linear time. */
export const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date', isDate],
  ['time', isTime],
  ['date-time', isDateTime],
  ['duration', (text) => durationPattern.test(text)],
  ['uri', isUri],
  ['uri-reference', isUriReference],
  ['uri-template', isUriTemplate],
  ['url', isUrl],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['regex', (text) => !/[^\\]\\Z/.test(text) && isUnicodePattern(text)],
  ['uuid', (text) => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)],
  ['json-pointer', (text) => /^(?:\/(?:[^~/]|~0|~1)*)*$/.test(text)],
  [
    'json-pointer-uri-fragment',
    (text) => /^#(?:\/(?:[a-z0-9_\-.!$&'()*+,;:=@]|%[0-9a-f]{2}|~0|~1)*)*$/i.test(text),
  ],
  ['relative-json-pointer', (text) => /^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~/]|~0|~1)*)*)$/.test(text)],
]);
