// AWS's own model of SQS, held against the JSON that goes there and comes back: every member is one of the model's, of its
// type, and every required one is there.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace eilbote::test {

class SqsContract {
 public:
  explicit SqsContract(boost::json::value model) : model_(std::move(model)) {}

  // What does not fit, in words; empty: all fits.
  std::vector<std::string> misfits_of_request(std::string_view operation, std::string_view body) const {
    return misfits(operation, "input", body);
  }
  std::vector<std::string> misfits_of_answer(std::string_view operation, std::string_view body) const {
    return misfits(operation, "output", body);
  }
  const boost::json::value& model() const { return model_; }

 private:
  std::vector<std::string> misfits(std::string_view operation, std::string_view direction,
                                   std::string_view body) const {
    const boost::json::object& operations = model_.at("operations").as_object();
    if (!operations.contains(operation)) return {"no operation " + std::string(operation)};
    std::vector<std::string> found;
    const auto shape = operations.at(operation).at(direction).at("shape").as_string();
    check(shape, boost::json::parse(body), std::string(operation), found);
    return found;
  }

  void check(std::string_view shape_name, const boost::json::value& value, const std::string& where,
             std::vector<std::string>& found) const {
    const boost::json::object& shape = model_.at("shapes").at(shape_name).as_object();
    const std::string_view type = shape.at("type").as_string();
    if (type == "structure") return check_structure(shape, value, where, found);
    if (type == "list" && value.is_array()) {
      for (const boost::json::value& one : value.get_array())
        check(shape.at("member").at("shape").as_string(), one, where + "[]", found);
    } else if (type == "map" && value.is_object()) {
      for (const auto& [key, one] : value.get_object()) {
        check(shape.at("key").at("shape").as_string(), boost::json::value(key),
              where + "." + std::string(key), found);
        check(shape.at("value").at("shape").as_string(), one, where + "." + std::string(key), found);
      }
    } else if (type == "string" && value.is_string()) {
      check_enum(shape, value, where, found);
    } else if (!(type == "integer" && value.is_int64()) && !(type == "boolean" && value.is_bool())) {
      found.push_back(where + " is no " + std::string(type));
    }
  }

  void check_structure(const boost::json::object& shape, const boost::json::value& value,
                       const std::string& where, std::vector<std::string>& found) const {
    if (!value.is_object()) return found.push_back(where + " is no object");
    const boost::json::object& members = shape.at("members").as_object();
    for (const auto& [name, one] : value.get_object()) {
      const std::string inside = where + "." + std::string(name);
      if (!members.contains(name))
        found.push_back(inside + " is not known");
      else
        check(members.at(name).at("shape").as_string(), one, inside, found);
    }
    if (const boost::json::value* required = shape.if_contains("required"))
      for (const boost::json::value& name : required->as_array())
        if (!value.get_object().contains(name.as_string()))
          found.push_back(where + "." + std::string(name.as_string()) + " is missing");
  }

  static void check_enum(const boost::json::object& shape, const boost::json::value& value,
                         const std::string& where, std::vector<std::string>& found) {
    const boost::json::value* words = shape.if_contains("enum");
    if (words == nullptr) return;
    for (const boost::json::value& word : words->as_array())
      if (word == value) return;
    found.push_back(where + " is no word of the model: " + std::string(value.get_string()));
  }

  boost::json::value model_;
};

}  // namespace eilbote::test
