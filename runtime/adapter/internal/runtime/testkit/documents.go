package testkit

// JSONDocuments are files of users that an adapter must be able to merge.
var JSONDocuments = []string{
	"", "\n", "null", "{}", "{ }\n", "{\n}\n", "\xef\xbb\xbf{}\r\n",
	`{"hooks": null}`, `{"hooks": {}}`, "{\n\t\"hooks\": {\n\t}\n}\n",
	"{\n  \"model\": \"x\",\n  \"z\": [1, 2.50, 1e3],\n  \"a\": \"a<b>&c \\/ é\"\n}\n",
	"{\r\n    \"env\": {\"A\": \"1\"}\r\n}\r\n",
	`{"hooks": {"Custom": [{"hooks": [{"type": "prompt", "prompt": "p"}], "own": true}], "Other": "text"}}`,
	"// first\n{\n  \"a\": 1, // one\n  /* two */ \"b\": 2\n}\n// last\n",
	`{"hooks": {"Custom": [{"command": "echo mine"}]}}`,
}

// JSONRefusals are files that no adapter can merge without a loss.
var JSONRefusals = []string{
	"{", `{"a": 1,}`, "[]", `"text"`, "7", `{"hooks": []}`, `{"hooks": "text"}`, `{"hooks": {}, "hooks": {}}`, "{} {}", "\xff",
}

// TOMLDocuments are files of users that an adapter must be able to merge.
var TOMLDocuments = []string{
	"", "\n", "a = 1", "a = 1\n", "# comment", "\xef\xbb\xbfa = 1\r\nb = \"x\"\r\n",
	"[table]\nhooks = 1\n", "[[hooks]]\nevent = \"Stop\"\ncommand = \"echo mine\"\n",
	"text = \"\"\"\n[hooks]\n# not a comment\n\"\"\"\n", "list = [\n  [\"hooks\"],\n]\n", "path = 'C:\\dir'\n",
}

// TOMLRefusals are files that no adapter can merge without a loss.
var TOMLRefusals = []string{
	"[hooks]\na = 1\n", "hooks = 1\n", "[ \"hooks\" ]\n", "hooks.a = 1\n", "text = \"\"\"\nno end", "list = [\n", "\xff",
}
