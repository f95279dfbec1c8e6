test("a page", () => {}) // NEW-06
