/** The keys of an account. */
export interface Keys {
  /** Creates another key. */
  create(): string;
  /** Revokes a key: the next request with it is refused. */
  revoke(key: string): void;
}

/** The account and the id that belong to a key. */
export interface KeyHolder<Account> {
  account: Account;
  keyId: string;
}

/** The prefix of every generated key: the part that may be shown. */
const keyPrefix = "ss_live_";

/** A key that looks like a live one. It depends only on the account and `count`, so it is the same on every run. */
export function generateKey(account: number, count: number): string {
  return `${keyPrefix}mock${String(account).padStart(4, "0")}${String(count).padStart(12, "0")}`;
}

/** The part of a key that may be shown. */
export function maskKey(key: string): string {
  return key.startsWith(keyPrefix) ? `${keyPrefix}***` : "***";
}

/** Matches any generated key, so that masking thousands of them costs no more than masking one. */
const generatedKey = `${keyPrefix}mock\\d{16,}`;

const isGenerated = new RegExp(`^${generatedKey}$`);

/** Shorter keys, as some tests use, are no secrets: masking every `k` in a request would only garble it. */
const shortestSecret = 8;

/** Matches generated keys and those given by hand. */
function keysExpression(byHand: readonly string[]): RegExp {
  const forms = byHand
    .filter(({ length }) => length >= shortestSecret)
    // The longest first, because one key may begin with another.
    .sort((a, b) => b.length - a.length)
    .map((key) => key.replace(/\W/g, anyForm));
  return new RegExp([...forms, generatedKey].join("|"), "g");
}

/** Matches a character as it is, or as JSON or a URL may escape it. */
function anyForm(character: string): string {
  const hex = character.charCodeAt(0).toString(16);
  return `(?:\\\\?\\${character}|%${hex}|%${hex.toUpperCase()})`;
}

/** The keys of all accounts of a mock. */
export class KeyRegistry<Account> {
  readonly #holders = new Map<string, KeyHolder<Account> & { isRevoked: boolean }>();
  /** Matches every key that was ever added; undefined until it is needed again. */
  #known: RegExp | undefined;

  add(key: string, holder: KeyHolder<Account>): void {
    if (typeof key !== "string" || !/^[\x21-\x7e]+$/.test(key)) {
      throw new TypeError("Expected `apiKey` to be visible ASCII characters");
    }
    if (this.has(key)) {
      throw new Error(
        "Failed to add the key: the mock knows it already. Please give each account a key of its own.",
      );
    }
    this.#holders.set(key, { ...holder, isRevoked: false });
    if (!isGenerated.test(key)) this.#known = undefined;
  }

  /** Whether the key was ever added. */
  has(key: string): boolean {
    return this.#holders.has(key);
  }

  /** @throws if the key does not belong to the account */
  revoke(key: string, account: Account): void {
    const holder = this.#holders.get(key);
    if (holder?.account !== account) {
      throw new Error(
        "Failed to revoke the key: the account has no such key. Please pass one that it was given.",
      );
    }
    holder.isRevoked = true;
  }

  /** The holder of a key; undefined if the key is unknown or revoked. */
  find(key: string): KeyHolder<Account> | undefined {
    const holder = this.#holders.get(key);
    return holder?.isRevoked ? undefined : holder;
  }

  /** Every key that was ever added, oldest first. */
  held(): Iterable<[key: string, holder: Readonly<KeyHolder<Account> & { isRevoked: boolean }>]> {
    return this.#holders;
  }

  /** Masks in a text every key that was ever added, including revoked ones, and the key that was sent with the text. */
  masked(text: string, sent: string | undefined): string {
    this.#known ??= keysExpression([...this.#holders.keys()].filter((key) => !isGenerated.test(key)));
    const shown = text.replace(this.#known, maskKey);
    const isKnown = sent === undefined || this.has(sent);
    return isKnown ? shown : shown.replace(keysExpression([sent]), maskKey);
  }

  /** Forgets the keys of an account. */
  forget(account: Account): void {
    for (const [key, holder] of this.#holders) if (holder.account === account) this.#holders.delete(key);
    this.#known = undefined;
  }

  reset(): void {
    this.#holders.clear();
    this.#known = undefined;
  }
}
