export interface Kept {
  read(): string | null;
  write(value: string | null): void;
  /** Told when another tab writes it. */
  onChange(tell: (value: string | null) => void): void;
}

/** A word that the browser keeps; where its storage is switched off, as long as the page. */
export const kept = (name: string): Kept => {
  let own: string | null = null;
  return {
    read() {
      try {
        return localStorage.getItem(name);
      } catch {
        return own;
      }
    },
    write(value) {
      own = value;
      try {
        if (value === null) localStorage.removeItem(name);
        else localStorage.setItem(name, value);
      } catch {
        // Kept above.
      }
    },
    onChange(tell) {
      addEventListener('storage', ({ key, newValue }) => {
        if (key === name) tell(newValue);
      });
    },
  };
};
