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
const generatedKeys = new RegExp(`${keyPrefix}mock\\d{16,}`, "g");

const isGenerated = (key: string): boolean => key.replace(generatedKeys, "") === "";

/** Shorter keys, as some tests use, are no secrets: masking every `k` in a request would only garble it. */
const shortestSecret = 8;

/**
 * The forms in which keys may stand in a text: as they are, and as JSON, URLs and forms write them. The longest comes
 * first, because one key may begin with another. A regular expression of them would fail if a key is long.
 */
function formsOf(keys: readonly string[]): string[] {
  const secrets = keys.filter(({ length }) => length >= shortestSecret);
  const forms = secrets.flatMap((key) => {
    const inUrl = encodeURIComponent(key);
    const inForm = `${new URLSearchParams({ key })}`.slice("key=".length);
    const coded = [inUrl, inForm].flatMap((form) => [
      form,
      form.replace(/%../g, (code) => code.toLowerCase()),
    ]);
    return [key, JSON.stringify(key).slice(1, -1), ...coded];
  });
  return [...new Set(forms)].sort((one, other) => other.length - one.length);
}

const withoutForms = (text: string, forms: readonly string[]): string =>
  forms.reduce((masked, form) => masked.replaceAll(form, maskKey(form)), text);

/** The keys of all accounts of a mock. */
export class KeyRegistry<Account> {
  readonly #holders = new Map<string, KeyHolder<Account> & { isRevoked: boolean }>();
  /** The forms of the keys that were given by hand; undefined until they are needed again. */
  #forms: string[] | undefined;

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
    if (!isGenerated(key)) this.#forms = undefined;
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
    this.#forms ??= formsOf([...this.#holders.keys()].filter((key) => !isGenerated(key)));
    const shown = withoutForms(text.replace(generatedKeys, maskKey), this.#forms);
    return sent === undefined || this.has(sent) ? shown : withoutForms(shown, formsOf([sent]));
  }

  /** Forgets the keys of an account. */
  forget(account: Account): void {
    for (const [key, holder] of this.#holders) if (holder.account === account) this.#holders.delete(key);
    this.#forms = undefined;
  }

  reset(): void {
    this.#holders.clear();
    this.#forms = undefined;
  }
}
