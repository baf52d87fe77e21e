// Ids are TSIDs: 42 bits of milliseconds since 2020, 22 bits more; 13 characters of Crockford's base32. So an id tells
// when its job was accepted, also where the server does not say it.

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const EPOCH_MILLIS = Date.UTC(2020, 0, 1);
const ID = /^[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{13}$/;

export function isId(text: string): boolean {
  return ID.test(text);
}

export function millisOf(id: string): number | undefined {
  if (!isId(id)) return undefined;
  let bits = 0n;
  for (const char of id.toUpperCase()) bits = bits * 32n + BigInt(ALPHABET.indexOf(char));
  return EPOCH_MILLIS + Number(bits >> 22n);
}

export function acceptedAt(id: string): string | undefined {
  const millis = millisOf(id);
  return millis === undefined ? undefined : new Date(millis).toISOString();
}
